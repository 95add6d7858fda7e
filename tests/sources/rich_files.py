"""Small files of every format, made by code."""

import io
import zipfile

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CONTENT_TYPES = """<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml"
ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
RELATIONS = """<?xml version="1.0"?><Relationships
xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship
Id="r1" Target="word/document.xml" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>"""
CONTAINER = """<?xml version="1.0"?><container version="1.0"
xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""


def packed(parts, compression=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as written:
        for name, text in parts.items():
            written.writestr(name, text)
    return out.getvalue()


def paragraph(text, style=None):
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{styled}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def table(rows):
    cells = ["".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows]
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def docx(body, **parts):
    document = (
        f'<?xml version="1.0"?><w:document xmlns:w="{WORD}" '
        'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        f"<w:body>{body}</w:body></w:document>"
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>'
        for n in (1, 2)
    )
    return packed(
        {
            "[Content_Types].xml": CONTENT_TYPES,
            "_rels/.rels": RELATIONS,
            "word/document.xml": document,
            "word/styles.xml": f'<?xml version="1.0"?><w:styles xmlns:w="{WORD}">{styles}</w:styles>',
        }
        | parts
    )


def epub(chapters, title="A book", **parts):
    names = [f"text/c{n}.xhtml" for n in range(1, len(chapters) + 1)]
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(names)))
    book = f"""<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title><dc:language>en</dc:language></metadata>
<manifest>{items}</manifest><spine>{spine}</spine></package>"""
    texts = {
        f"OEBPS/{name}": f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{body}</body></html>'
        for name, body in zip(names, chapters, strict=True)
    }
    head = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OEBPS/book.opf": book}
    return packed(head | texts | parts)


def raw_pdf(content, pages=1, extra="", catalog=""):
    """A PDF written by hand, Helvetica as /F1: every page shows ``content`` (bytes)."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(pages))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n in range(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> {extra} >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    out, places = b"%PDF-1.7\n", []
    for n, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (n, body)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, rows)
    return (
        out
        + table
        + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(places) + 1, len(out))
    )


def shown(lines, x=72, top=700, pitch=14, size=11, mode=0):
    """Page content that shows lines of text below each other."""
    out = [f"BT /F1 {size} Tf {mode} Tr {pitch} TL {x} {top} Td"]
    out += [f"({line}) Tj T*" for line in lines]
    return (" ".join(out) + " ET").encode("latin-1")
