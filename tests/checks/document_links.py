"""document_links.py ROOT: links between documents lead somewhere. Exit 1 lists each link of a *.md to a file that is not there, or to a heading that a document does not
have, as GitHub names headings. On every start it must find planted faults. Addresses of the net are not looked at."""
import pathlib
import re
import tempfile

from document_commands import check, documents

LINK = re.compile(r"\]\(\s*<?([^)<>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)|^ {0,3}\[[^\]]+\]:\s*(\S+)", re.M)
FENCED = re.compile(r"^\s*```.*?^\s*```", re.M | re.S)


def anchors(document):
    """{'what-was-measured'}: small letters, without marks, blanks as hyphens."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", document.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def faults(root):
    for document in documents(root):
        for inline, defined in LINK.findall(FENCED.sub("", document.read_text(encoding="utf-8"))):
            target = inline or defined
            path, _, anchor = target.partition("#")
            if re.match(r"\w+:", target):
                continue
            other = document.parent / path if path else document
            if not other.exists():
                yield f"{document.relative_to(root)}: there is no {target}"
            elif anchor and other.suffix == ".md" and anchor not in anchors(other):
                yield f"{document.relative_to(root)}: {path or 'it'} has no heading #{anchor}"


def self_test():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "other.md").write_text("# A heading: of `two` words\n```\n# no heading\n```\n")
        good = "[a](other.md) [b](other.md#a-heading-of-two-words) [c](https://nowhere/x.md) [d](#here)\n# Here\n"
        for text, expected in ((good, 0), ("[a](missing.md)", 1), ("[a](other.md#missing)", 1), ("[a](#missing)", 1),
                               ("[a](other.md#no-heading)", 1), ('[a](missing.md "title")', 1), ("[a]: missing.md", 1), ("[a](<missing.md>)", 1)):
            (root / "README.md").write_text(text)
            found = list(faults(root))
            assert len(found) == expected, (text, found)


if __name__ == "__main__":
    self_test()
    check(__doc__, faults, "every link of a document leads somewhere")
