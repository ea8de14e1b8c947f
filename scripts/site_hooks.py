# SPDX-License-Identifier: Apache-2.0
"""Hooks of the documentation's site: files outside docs/ that pages refer to come along, under source/."""
import os
import posixpath
import re
import shutil

from mkdocs.structure.files import File, InclusionLevel

LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def place(path):
    """Where a file of the repository is in the site."""
    return path.removeprefix("docs/") if path.startswith("docs/") else "source/" + path


def origin(uri):
    """The file of the repository that a page of the site comes from."""
    return uri.removeprefix("source/") if uri.startswith("source/") else "docs/" + uri


def target(page, link):
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def on_files(files, config):
    known, pages = set(), [origin(file.src_uri) for file in files.documentation_pages()]
    while pages:
        page = pages.pop()
        with open(page, encoding="utf-8") as text:
            links = {target(page, match[1]) for match in LINK.finditer(text.read())}
        for name in sorted(links - known):
            if name.startswith("docs/") or not os.path.isfile(name):
                continue
            known.add(name)
            copy = File(place(name), os.path.abspath("."), config.site_dir, False, inclusion=InclusionLevel.NOT_IN_NAV)
            copy.abs_src_path = os.path.abspath(name)
            files.append(copy)
            if name.endswith(".md"):
                pages.append(name)
    return files


def on_page_markdown(markdown, page, config, files):
    own = page.file.src_uri

    def turned(match):
        name = target(origin(own), match[1])
        if not os.path.isfile(name):
            return match[0]  # mkdocs says what is wrong
        return f"]({posixpath.relpath(place(name), posixpath.dirname(own) or '.')}{match[2] or ''})"

    return LINK.sub(turned, markdown)


def on_post_build(config):
    """The C++ reference, where Doxygen made one."""
    if os.path.isdir("out/doxygen/html"):
        reference = os.path.join(config.site_dir, "reference", "cpp")
        shutil.copytree("out/doxygen/html", reference, dirs_exist_ok=True)
        first = os.path.join(reference, "index.html")  # docs/cpp.md, with its links as they are in the repository
        with open(first, encoding="utf-8") as text:
            page = text.read().replace('href="../examples/', 'href="../../source/examples/')
        with open(first, "w", encoding="utf-8") as text:
            text.write(page)
