"""Pages of the repository as a static site: markdown that docs/README.md leads to, and every file that these link to."""
import html
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

from markdown_it import MarkdownIt

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
START = "docs/README.md"
IMAGES = {".svg", ".png", ".jpg", ".jpeg"}
# A linked text that is longer is cut: nobody reads it in a browser.
TEXT_LIMIT = 400_000
# What a page may do: nothing but show itself.
POLICY = "default-src 'none'; style-src 'self'; img-src 'self'"


def tracked():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True, text=True).stdout.split("\0")
    return {name for name in listed if name and (ROOT / name).is_file()}


def anchor(title, seen):
    """As scripts/check-links has them: lower case, punctuation dropped, blanks to dashes, repeats numbered."""
    text = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    count = seen.get(text, 0)
    seen[text] = count + 1
    return f"{text}-{count}" if count else text


def is_external(target):
    return re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", target) is not None


class Site:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.files = tracked()
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        # What is to be written: repository paths, files and folders.
        self.waiting = [START, "README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
        self.waiting += sorted(name for name in self.files if name.startswith("docs/") and name.endswith(".md"))
        self.done = set()
        self.navigation = self.read_navigation()

    # Where things lie: as in the repository, so that links between pages and pictures stay what they are.

    def page(self, name):
        """The page of a file or folder; pictures are themselves."""
        if name in self.files and pathlib.PurePath(name).suffix in IMAGES:
            return name
        if name in self.files:
            return name[:-3] + ".html" if name.endswith(".md") else name + ".html"
        return (name + "/" if name else "") + "folder.html"

    def link(self, source, target):
        """A link of a file, for its page; what it leads to becomes a page, too."""
        if is_external(target):
            return target
        path, mark, fragment = target.partition("#")
        base = os.path.dirname(source)
        name = os.path.normpath(os.path.join(base, urllib.parse.unquote(path))) if path else source
        name = "" if name == "." else name
        if name not in self.files and f"{name}/README.md" in self.files:
            name = f"{name}/README.md"
        if name not in self.files and not any(each.startswith(name + "/") for each in self.files):
            sys.exit(f"docs: {source} links to {target}, which is no file of the repository")
        self.waiting.append(name)
        return self.relative(source, self.page(name)) + (mark + fragment.lower() if mark else "")

    def relative(self, source, page):
        return urllib.parse.quote(os.path.relpath(page, os.path.dirname(self.page(source)) or "."))

    # Navigation: the sections of the first page, with their links to other pages.

    def read_navigation(self):
        sections, title = [], "Begin"
        tokens = self.markdown.parse((ROOT / START).read_text(encoding="utf-8"))
        entries = []
        for index, token in enumerate(tokens):
            if token.type == "heading_open" and token.tag == "h2":
                sections.append((title, entries))
                title, entries = self.plain(tokens[index + 1]), []
            if token.type == "inline":
                entries += [each for each in self.links(token) if each[0] not in {path for path, _ in entries}]
        sections.append((title, entries))
        return [(title, entries) for title, entries in sections if entries]

    def links(self, inline):
        """(name, text) of links to pages."""
        found, current = [], None
        for child in inline.children:
            if child.type == "link_open":
                current = [child.attrs["href"], ""]
            elif child.type == "link_close" and current:
                path = os.path.normpath(os.path.join(os.path.dirname(START), current[0]))
                if path in self.files and path.endswith(".md"):
                    found.append((path, current[1]))
                current = None
            elif current and child.content:
                current[1] += child.content
        return found

    @staticmethod
    def plain(inline):
        return "".join(child.content for child in inline.children if child.type in ("text", "code_inline"))

    # Pages.

    def body(self, name):
        """(title, HTML) of a markdown file."""
        tokens = self.markdown.parse((ROOT / name).read_text(encoding="utf-8"))
        seen, title = {}, ""
        for index, token in enumerate(tokens):
            if token.type == "heading_open":
                text = self.plain(tokens[index + 1])
                title = title or text
                mark = anchor(text, seen)
                token.attrs["id"] = mark
                tokens[index + 1].children += self.markdown.parseInline(
                    f'<a class="here" href="#{mark}" aria-label="Link to this section">#</a>')[0].children
            if token.type == "html_block":
                token.content = self.raw(name, token.content)
            for child in token.children or []:
                if child.type == "link_open" and "here" not in child.attrs.get("class", ""):
                    child.attrs["href"] = self.link(name, child.attrs["href"])
                elif child.type == "image":
                    child.attrs["src"] = self.link(name, child.attrs["src"])
                elif child.type == "html_inline" and 'class="here"' not in child.content:
                    child.content = self.raw(name, child.content)
        text = self.markdown.renderer.render(tokens, self.markdown.options, {})
        text = text.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        return title or name, text

    def raw(self, name, text):
        """HTML that stands in a page by hand: its pictures are found, too."""
        return re.sub(r'\b(src|href)="([^"]*)"', lambda m: f'{m[1]}="{self.link(name, m[2])}"', text)

    def source(self, name):
        """A file that is no page, to read."""
        data = (ROOT / name).read_bytes()
        if b"\0" in data:
            return f"<h1>{html.escape(name)}</h1><p>A file of {len(data)} bytes, in the repository.</p>"
        text = data.decode("utf-8", "replace")
        more = "" if len(text) <= TEXT_LIMIT else "<p>It goes on in the repository.</p>"
        return f"<h1>{html.escape(name)}</h1><pre><code>{html.escape(text[:TEXT_LIMIT])}</code></pre>{more}"

    def listing(self, name):
        inside = sorted({each[len(name) + 1:].split("/")[0] for each in self.files if each.startswith(name + "/")})
        rows = "".join(f"<li><code>{html.escape(each)}</code></li>" for each in inside)
        return f"<h1>{html.escape(name)}</h1><p>A folder of the repository:</p><ul>{rows}</ul>"

    def menu(self, name):
        parts = []
        for title, entries in self.navigation:
            rows = []
            for path, text in entries:
                current = ' aria-current="page"' if path == name else ""
                rows.append(f'<li><a href="{self.relative(name, self.page(path))}"{current}>{html.escape(text)}</a></li>')
            parts.append(f"<h2>{html.escape(title)}</h2><ul>{''.join(rows)}</ul>")
        if (self.folder / "api").is_dir():
            rows = "".join(f'<li><a href="{self.relative(name, f"api/{each}/documentation/{each.lower()}/index.html")}">{each}</a></li>'
                           for each in sorted(os.listdir(self.folder / "api")))
            parts.append(f"<h2>Libraries</h2><ul>{rows}</ul>")
        home = f'<a href="{self.relative(name, self.page(START))}"><strong>MeterHost</strong></a>'
        return home + "".join(parts)

    def write(self, name):
        if name in self.files and pathlib.PurePath(name).suffix in IMAGES:
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes((ROOT / name).read_bytes())
            return
        if name.endswith(".md") and name in self.files:
            title, body = self.body(name)
        else:
            title, body = name, self.source(name) if name in self.files else self.listing(name)
        place = self.folder / self.page(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{html.escape(title)} - MeterHost</title>'
            f'<link rel="stylesheet" href="{self.relative(name, "style.css")}"></head><body>'
            f'<a class="skip" href="#main">To the text</a><nav aria-label="Pages">{self.menu(name)}</nav>\n'
            f'<main id="main">{body}</main></body></html>\n', encoding="utf-8")

    def build(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        while self.waiting:
            name = self.waiting.pop()
            if name not in self.done:
                self.done.add(name)
                self.write(name)
        (self.folder / "style.css").write_text((pathlib.Path(__file__).parent / "style.css").read_text())
        first = self.page(START)
        (self.folder / "index.html").write_text(
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>MeterHost</title>'
            f'<meta http-equiv="refresh" content="0; url={first}"></head><body><a href="{first}">MeterHost</a></body></html>\n')


def dead_links(folder):
    """Links of the pages that lead to nothing, those of the libraries' pages aside: DocC writes and checks them."""
    pages = {}
    for place in folder.rglob("*.html"):
        if "api" not in place.relative_to(folder).parts[:1]:
            text = place.read_text(encoding="utf-8")
            pages[place] = (re.findall(r'\b(?:href|src)="([^"]*)"', re.sub(r"<pre>.*?</pre>", "", text, flags=re.S)),
                            set(re.findall(r'\bid="([^"]*)"', text)))
    for place, (targets, own) in sorted(pages.items()):
        for target in targets:
            target = html.unescape(target)
            if is_external(target):
                continue
            path, _, mark = target.partition("#")
            other = pathlib.Path(os.path.normpath(place.parent / urllib.parse.unquote(path))) if path else place
            mark = urllib.parse.unquote(mark)
            if not other.is_file():
                yield f"{place.relative_to(folder)}: {target} leads to nothing"
            elif mark and other in pages and mark not in pages[other][1]:
                yield f"{place.relative_to(folder)}: {target} names no heading"


def main():
    site = Site(sys.argv[1])
    site.build()
    dead = list(dead_links(site.folder))
    if dead:
        sys.exit("docs: " + "\ndocs: ".join(dead))
    print(f"docs: {len(site.done)} pages and pictures in {site.folder}")


main()
