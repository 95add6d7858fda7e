"""How the page of a pruning looks: what the model saw is plain, what was cut is faded."""

from __future__ import annotations

from longleaf.render.page import COLOURS, DARK_COLOURS

# Everything hangs on our own class, because a notebook shows this page inside of its own.
PRUNED_CSS = f"""
.longleaf-pruned{{color-scheme:light dark;{COLOURS}}}
@media (prefers-color-scheme:dark){{.longleaf-pruned{{{DARK_COLOURS}}}}}
body:has(>.longleaf-pruned){{margin:0}}
body>.longleaf-pruned{{min-height:100vh}}
.longleaf-pruned{{box-sizing:border-box;padding:clamp(1.25rem,4vw,3rem) clamp(1rem,4vw,3rem);background:var(--ground);
color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
overflow-wrap:anywhere}}
.longleaf-pruned>*{{max-width:56rem;margin-inline:auto}}
.longleaf-pruned a{{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:.06em}}
.longleaf-pruned :is(a,summary):focus-visible{{outline:2px solid var(--accent);outline-offset:2px}}
.longleaf-pruned h1{{margin:0;font-size:1.5rem;line-height:1.25}}
.longleaf-pruned h2{{margin:0;font-size:1.15rem;line-height:1.3}}
.longleaf-pruned .facts{{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.7rem 0 0;padding:0;list-style:none;
color:var(--soft);font-size:.9rem}}
.longleaf-pruned .note{{margin:1rem 0 0;padding:.6rem 1rem;border-inline-start:3px solid var(--fair);
background:var(--fair-tint);border-radius:.3rem;font-size:.92rem}}
.longleaf-pruned .note p{{margin:0}}
.longleaf-pruned .legend{{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin:1rem 0 0;font-size:.9rem}}
.longleaf-pruned nav{{margin:1rem 0 0;font-size:.92rem}}
.longleaf-pruned nav ol{{margin:0;padding-inline-start:1.6em}}
.longleaf-pruned .what{{color:var(--soft);font-size:.86rem;font-variant-numeric:tabular-nums}}
.longleaf-pruned .document{{margin-block-start:1.5rem;background:var(--card);border:1px solid var(--line);
border-radius:.6rem}}
.longleaf-pruned .document>header{{padding:.9rem 1.2rem .7rem;border-block-end:1px solid var(--line)}}
.longleaf-pruned .document>header p{{margin:.15rem 0 0}}
.longleaf-pruned .address{{font-size:.86rem}}
.longleaf-pruned .content{{padding:.4rem 1.2rem 1.2rem}}
.longleaf-pruned .content :is(p,ul,ol,dl,pre,table,blockquote,h4){{margin:.7em 0}}
.longleaf-pruned .content :is(li,td,th,dd)>:is(p,ul,ol):first-child{{margin-block-start:0}}
.longleaf-pruned .content h4{{font-size:1rem;line-height:1.35;margin-block-start:1.2em}}
.longleaf-pruned .content .h1{{font-size:1.4em}}
.longleaf-pruned .content .h2{{font-size:1.22em}}
.longleaf-pruned .content .h3{{font-size:1.1em}}
.longleaf-pruned :is(code,pre,kbd,samp){{font-size:.9em;
font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}}
.longleaf-pruned pre{{padding:.7em .9em;background:var(--code);border-radius:.4em;overflow-x:auto;line-height:1.5;
tab-size:4;direction:ltr;text-align:left;overflow-wrap:normal}}
.longleaf-pruned pre code{{font-size:1em}}
.longleaf-pruned .content table{{display:block;overflow-x:auto;border-collapse:collapse;font-size:.94em}}
.longleaf-pruned :is(td,th){{padding:.35em .7em;border:1px solid var(--line);text-align:start;vertical-align:top;
overflow-wrap:normal}}
.longleaf-pruned blockquote{{margin-inline:0;padding-inline-start:1em;border-inline-start:3px solid var(--line)}}
.longleaf-pruned dd{{margin-inline-start:1.6em}}
.longleaf-pruned .image{{font-style:italic}}
.longleaf-pruned .image::before{{content:"[image: "}}
.longleaf-pruned .image::after{{content:"]"}}
.longleaf-pruned span.kept:not(.at){{background:var(--tint);border-radius:.2em;-webkit-box-decoration-break:clone;
box-decoration-break:clone}}
.longleaf-pruned span.came{{text-decoration:underline dotted var(--accent) .08em;text-underline-offset:.25em}}
.longleaf-pruned span.cut:not(.at){{opacity:.42}}
.longleaf-pruned span.cut:hover,.longleaf-pruned :focus-visible>span.cut{{opacity:1}}
.longleaf-pruned .content li:not(:has(.kept,.came))::marker{{color:color-mix(in srgb,currentColor 35%,transparent)}}
.longleaf-pruned .image:has(>.cut)::before,.longleaf-pruned .image:has(>.cut)::after{{opacity:.42}}
.longleaf-pruned .whole>summary{{padding:.8rem 1.2rem;cursor:pointer;color:var(--soft)}}
@media (prefers-contrast:more){{.longleaf-pruned span.cut{{opacity:.7}}}}
.longleaf-pruned .at{{display:inline-block;min-width:1.2em;margin-inline-end:.35em;padding:.1em .35em;
border:1px solid transparent;border-radius:.4em;font:600 .68rem/1.35 system-ui,sans-serif;text-align:center;
text-decoration:none;vertical-align:.12em;font-variant-numeric:tabular-nums;scroll-margin-block:35vh}}
.longleaf-pruned .at.kept{{background:var(--accent);color:var(--ground)}}
.longleaf-pruned .at.cut{{border-color:var(--line);color:var(--soft)}}
.longleaf-pruned .at:target{{outline:3px solid var(--fair);outline-offset:2px}}
.longleaf-pruned .ranking{{margin-block-start:1.5rem;font-size:.92rem}}
.longleaf-pruned .ranking summary{{cursor:pointer;width:fit-content;font-weight:600}}
.longleaf-pruned .ranking ol{{padding-inline-start:2.8em}}
.longleaf-pruned .ranking li{{margin:.35em 0;scroll-margin-block:35vh}}
.longleaf-pruned .ranking li.cut::marker{{color:var(--soft)}}
.longleaf-pruned .ranking li.kept::marker{{color:var(--accent);font-weight:700}}
.longleaf-pruned .ranking li:target{{background:var(--fair-tint)}}
.longleaf-pruned .ranking .what{{display:block}}
"""
