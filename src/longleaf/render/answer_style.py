"""How the page of an answer looks: one column on a phone and on paper, sources beside the text else."""

from __future__ import annotations

from longleaf.render.page import COLOURS, DARK_COLOURS

ANSWER_CSS = f"""
:root{{color-scheme:light dark;{COLOURS}}}
@media (prefers-color-scheme:dark){{:root{{{DARK_COLOURS}}}}}
*{{box-sizing:border-box}}
html{{-webkit-text-size-adjust:100%;text-size-adjust:100%}}
@media (prefers-reduced-motion:no-preference){{html{{scroll-behavior:smooth}}}}
body{{margin:0;background:var(--ground);color:var(--ink);
font:1.0625rem/1.62 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:break-word}}
a{{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:.06em}}
a:focus-visible,summary:focus-visible,.excerpt:focus-visible{{outline:2px solid var(--accent);outline-offset:2px}}
.page{{max-width:84rem;margin:0 auto;padding:clamp(1.25rem,4vw,3.5rem) clamp(1rem,4vw,3rem) 3rem}}
.top{{max-width:46rem;margin-block-end:clamp(1.5rem,3vw,2.5rem)}}
.brand{{margin:0 0 .9rem;color:var(--accent);font-size:.8rem;font-weight:600;letter-spacing:.04em}}
h1,h2,h3,h4,h5,h6{{line-height:1.25;text-wrap:balance}}
h1{{margin:0;font:600 clamp(1.6rem,1.1rem + 2.2vw,2.4rem)/1.2 Charter,"Iowan Old Style",Georgia,"Noto Serif",serif;
letter-spacing:-.01em}}
.facts{{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;margin:1rem 0 0;padding:0;list-style:none;color:var(--soft);
font-size:.9rem}}
.note{{margin:1.2rem 0 0;padding:.7rem 1rem;border-inline-start:3px solid var(--fair);background:var(--fair-tint);
border-radius:.3rem;font-size:.92rem}}
.note p{{margin:0}}
h2{{margin:0 0 1rem;font-size:.86rem;font-weight:650;color:var(--soft)}}
h1,.answer p,.answer li,.answer td,.answer th,.answer h3,.answer h4,.excerpt p,.excerpt li,.excerpt td,.excerpt dd,
.excerpt dt,.where{{unicode-bidi:plaintext}}
.answer>:first-child{{margin-block-start:0}}
.answer p,.answer ul,.answer ol,.answer pre,.answer blockquote,.answer .scroll{{margin:0 0 1.05em}}
.answer li{{margin-block-end:.3em}}
.answer li>p{{margin-block-end:.5em}}
.answer li>ul,.answer li>ol,.answer li>pre{{margin-block:.35em .5em}}
.answer h3,.answer h4,.answer h5,.answer h6{{margin:1.7em 0 .6em;font-size:1.12rem}}
.answer h4,.answer h5,.answer h6{{font-size:1.02rem}}
ul,ol{{padding-inline-start:1.4em}}
blockquote{{margin-inline:0;padding-inline-start:1em;border-inline-start:3px solid var(--line);color:var(--soft)}}
hr{{border:0;border-block-start:1px solid var(--line);margin:1.6em 0}}
code,pre,kbd,samp{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:.88em}}
:not(pre)>code{{padding:.1em .3em;background:var(--code);border-radius:.25em}}
code,kbd,samp{{unicode-bidi:isolate;direction:ltr}}
a>code{{color:inherit}}
kbd{{padding:.05em .4em;border:1px solid var(--line);border-block-end-width:2px;border-radius:.3em}}
pre{{padding:.8em 1em;background:var(--code);border-radius:.45em;overflow-x:auto;line-height:1.5;tab-size:4;
direction:ltr;text-align:left}}
pre code{{font-size:1em}}
.scroll{{overflow-x:auto}}
table{{border-collapse:collapse;font-size:.94em;line-height:1.45}}
th,td{{padding:.4em .8em;border-block-end:1px solid var(--line);text-align:start;vertical-align:top}}
th{{font-weight:650}}
thead th{{border-block-end:2px solid var(--line)}}
caption{{padding-block-end:.4em;text-align:start;color:var(--soft);font-size:.94em}}
.image{{color:var(--soft);font-style:italic}}
.image::before{{content:"[image: "}}
.image::after{{content:"]"}}
.marker{{font-size:.76em;line-height:1;vertical-align:.32em;font-weight:600;text-decoration:none;white-space:nowrap;
padding:.12em .1em;border-radius:.25em;scroll-margin-block:35vh;font-variant-numeric:tabular-nums}}
.marker:hover,.marker:target{{background:var(--accent);color:var(--ground)}}
.marker small{{font-size:.95em;font-weight:500}}
.marker.partial{{color:var(--fair)}}
.marker.unsupported{{color:var(--bad)}}
.marker.partial:hover,.marker.partial:target{{background:var(--fair);color:var(--ground)}}
.marker.unsupported:hover,.marker.unsupported:target{{background:var(--bad);color:var(--ground)}}
.cited{{border-radius:.2em;transition:background-color .15s}}
.cited.partial{{text-decoration:underline dotted var(--fair) .1em;text-underline-offset:.22em}}
.cited.unsupported{{text-decoration:underline wavy var(--bad) .07em;text-underline-offset:.22em}}
.cited:hover,.cited:has(+.marker:hover),.cited:has(+.marker:target),.cited:has(+.marker:focus-visible){{
background:var(--tint);box-shadow:0 0 0 .12em var(--tint)}}
pre.cited:has(+.marks :hover),pre.cited:has(+.marks :target){{box-shadow:0 0 0 2px var(--accent)}}
.marks{{margin-block-start:-.7em!important}}
.source{{margin:0 0 1.1rem;background:var(--card);border:1px solid var(--line);border-radius:.6rem;
scroll-margin-block-start:1rem;overflow:clip}}
.source:target,.source:has(:target){{border-color:var(--accent);box-shadow:0 0 0 2px var(--accent)}}
.source header{{display:flex;gap:.7rem;align-items:flex-start;padding:.8rem .95rem .65rem}}
.number{{flex:none;min-width:1.9em;padding:.2em .3em;border-radius:.35em;background:var(--tint);color:var(--accent);
font-size:.82rem;font-weight:700;line-height:1.35;text-align:center;font-variant-numeric:tabular-nums}}
.where{{flex:1;min-width:0;font-size:.92rem;line-height:1.4}}
.where strong{{font-weight:620;font-size:1.03em}}
.where span{{display:block;color:var(--soft);font-size:.92em}}
.verdict{{flex:none;font-size:.78rem;font-weight:600;line-height:1.75;white-space:nowrap;color:var(--soft)}}
.verdict.supported{{color:var(--good)}}
.verdict.partial{{color:var(--fair)}}
.verdict.unsupported{{color:var(--bad)}}
.excerpt{{max-height:22rem;overflow:auto;padding:.8rem .95rem;border-block:1px solid var(--line);font-size:.92rem;
line-height:1.55;scroll-margin-block-start:6rem}}
.excerpt p,.excerpt ul,.excerpt ol,.excerpt dl,.excerpt pre{{margin:.6em 0}}
.excerpt pre{{padding:.6em .8em}}
.excerpt h4{{margin:.8em 0 .4em;font-size:1em}}
.excerpt dd{{margin-inline-start:1.2em}}
.excerpt>:first-child,.excerpt>:first-child>:first-child,.excerpt>:first-child>:first-child>:first-child{{
margin-block-start:0}}
.excerpt>:last-child,.excerpt>:last-child>:last-child,.excerpt>:last-child>:last-child>:last-child{{
margin-block-end:0}}
.excerpt table{{display:block;overflow-x:auto}}
mark{{background:var(--mark);color:inherit;border-radius:.15em;-webkit-box-decoration-break:clone;
box-decoration-break:clone;padding:.05em 0}}
.at{{scroll-margin-block:7rem}}
.at:target+mark{{outline:2px solid var(--accent);outline-offset:1px}}
.source footer{{display:flex;flex-direction:column;gap:.2rem;padding:.6rem .95rem .7rem;font-size:.84rem;
color:var(--soft)}}
.address{{overflow-wrap:anywhere;color:inherit;text-decoration-color:var(--line)}}
a.address:hover{{color:var(--accent)}}
.address span{{white-space:nowrap}}
.back a{{padding-inline:.1em;font-variant-numeric:tabular-nums}}
.steps{{margin-block-start:2.5rem;padding-block-start:1.2rem;border-block-start:1px solid var(--line);font-size:.92rem}}
.steps summary{{cursor:pointer;color:var(--soft);font-weight:600;width:fit-content}}
.steps h3{{margin:1.6rem 0 .5rem;font-size:.95rem}}
.steps dl{{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.3rem 1.2rem;margin:0}}
.steps dt{{color:var(--soft)}}
.steps dd{{margin:0;min-width:0}}
.steps dd ul{{margin:0;padding:0;list-style:none}}
.steps ol{{padding:0;list-style:none;margin:0}}
.word{{display:inline-block;margin:0 .35rem .25rem 0;padding:.05em .5em;background:var(--code);border-radius:.3em}}
.figures{{font-variant-numeric:tabular-nums;white-space:nowrap;color:var(--soft)}}
.bottom{{margin-block-start:2.5rem;color:var(--soft);font-size:.84rem}}
.silence{{max-width:46rem;margin:0 0 2rem;padding:1rem 1.2rem;background:var(--fair-tint);border-radius:.5rem;
font-size:1.12rem}}
.silence p{{margin:0}}
.silence~.sources,.silence~.steps{{max-width:46rem}}
@media (min-width:68rem){{
.columns{{display:grid;grid-template:"answer sources" auto "steps sources" 1fr/minmax(0,44rem) minmax(22rem,1fr);
column-gap:clamp(2rem,4vw,4rem);align-items:start}}
.columns .answer{{grid-area:answer}}
.columns .steps{{grid-area:steps}}
.columns .sources{{grid-area:sources;position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:.25rem .25rem 1rem;
scroll-padding-block:3rem;scrollbar-width:thin}}
.sources h2{{padding-block-start:.75rem}}
}}
@media (max-width:68rem){{.sources{{margin-block-start:2.5rem}}}}
@media (max-width:30rem){{.verdict{{order:3}}.source header{{flex-wrap:wrap}}.where{{flex-basis:70%}}}}
@media print{{
:root{{{COLOURS}--ground:#fff}}
body{{font-size:10.5pt}}
.page{{padding:0;max-width:none}}
.columns{{display:block}}
.sources{{position:static;max-height:none;overflow:visible}}
.source{{break-inside:avoid-page}}
.excerpt{{max-height:none;overflow:visible}}
pre,.scroll{{white-space:pre-wrap;overflow:visible}}
.back,.steps:not([open]){{display:none}}
mark{{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
}}
"""
