"""Writes one random graph in six forms of RDF, each with the short cuts of its form. It uses no library of RDF."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"
SPACES = {"ex": "http://example.org/", "way": "http://example.org/way#", "rdf": RDF, "odd": "urn:odd:"}
LOCALS = ["a", "b", "Ålesund", "c-1", "x_y", "d9", "名", "e", "f", "g%20h"]
TEXTS = ["plain", 'a "quote"', "line\nend", "tab\there", "back\\slash", "<&>", "🜚 ünï", "'", "", "1.5", "]]>"]


@dataclass(frozen=True)
class Term:
    kind: str  # iri, blank, text
    value: str
    language: str = ""
    datatype: str = ""


class Sample:
    """A graph of IRIs, blank nodes and literals, drawn by a seed; facts of a subject stand together."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        draw = self.random
        spaces = [SPACES["ex"], SPACES["way"], SPACES["odd"]]
        entities = [Term("iri", draw.choice(spaces) + name) for name in LOCALS]
        entities += [Term("blank", f"n{i}") for i in range(4)]
        relations = [SPACES["way"] + name for name in ("likes", "knows", "liegt_in", "r1")] + [RDF + "type"]
        self.triples: list[tuple[Term, str, Term]] = []
        for _ in range(draw.randrange(8, 40)):
            head, tail = draw.choice(entities), draw.choice(entities)
            relation = draw.choice(relations)
            if relation.endswith("type"):
                tail = draw.choice([each for each in entities if each.kind == "iri"])
            elif draw.random() < 0.3:
                tail = self.literal()
            if (head, relation, tail) not in self.triples:
                self.triples.append((head, relation, tail))
        draw.shuffle(self.triples)
        self.triples.sort(key=lambda triple: (triple[0].kind, triple[0].value))

    def literal(self) -> Term:
        draw = self.random
        kind = draw.randrange(3)
        if kind == 0:
            return Term("text", draw.choice(TEXTS))
        if kind == 1:
            return Term("text", draw.choice(TEXTS), language=draw.choice(["en", "de-AT"]))
        return Term("text", str(draw.randrange(99)), datatype=XSD + "integer")

    def subjects(self) -> list[Term]:
        return list(dict.fromkeys(head for head, _, _ in self.triples))

    def of(self, subject: Term) -> list[tuple[str, Term]]:
        return [(relation, tail) for head, relation, tail in self.triples if head == subject]


def write_samples(folder: Path, count: int, seed: int) -> list[Path]:
    """Writes `count` graphs in each form; gives the files in order."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        for ending, write in WRITERS.items():
            path = folder / f"sample-{number:02}.{ending}"
            path.write_text(write(Sample(seed + number)), encoding="utf-8")
            paths.append(path)
    return paths


def quoted(sample: Sample, text: str, long: bool = False) -> str:
    """A text between quotes, with a random choice among the escapes of Turtle."""
    named = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    out = ""
    for letter in text:
        if long and letter == "\n":
            out += letter
        elif letter in named:
            out += named[letter]
        elif sample.random.random() < 0.2:
            code = ord(letter)
            out += f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
        else:
            out += letter
    return f'"""{out}"""' if long else f'"{out}"'


def line_term(sample: Sample, term: Term) -> str:
    if term.kind == "iri":
        return f"<{''.join(escaped_letter(sample, letter) for letter in term.value)}>"
    if term.kind == "blank":
        return f"_:{term.value}"
    text = quoted(sample, term.value)
    return text + (f"@{term.language}" if term.language else f"^^<{term.datatype}>" if term.datatype else "")


def escaped_letter(sample: Sample, letter: str) -> str:
    return f"\\u{ord(letter):04X}" if ord(letter) > 127 and sample.random.random() < 0.5 else letter


def n_triples(sample: Sample, graphs: bool = False) -> str:
    lines = []
    for head, relation, tail in sample.triples:
        graph = f" <{SPACES['ex']}g{sample.random.randrange(3)}>" if graphs and sample.random.random() < 0.6 else ""
        gap = sample.random.choice([" ", "\t", "  "])
        terms = [line_term(sample, head), f"<{relation}>", line_term(sample, tail)]
        lines.append(gap.join(terms) + graph + " ." + sample.random.choice(["", " # a comment . "]))
        if sample.random.random() < 0.1:
            lines.append(sample.random.choice(["", "# nothing <a> <b> <c> ."]))
    return sample.random.choice(["\n", "\r\n"]).join(lines) + "\n"


def short(sample: Sample, term: Term) -> str:
    """An IRI as Turtle may write it: whole, relative to the base, or by a prefix."""
    if term.kind == "blank":
        return f"_:{term.value}"
    if term.kind == "text":
        if term.datatype.endswith("integer"):
            return term.value
        text = quoted(sample, term.value, long=sample.random.random() < 0.3)
        return text + (f"@{term.language}" if term.language else "")
    for name, space in SPACES.items():
        local = term.value[len(space) :]
        # A # in a local name would begin a comment.
        if term.value.startswith(space) and "#" not in local and sample.random.random() < 0.7:
            return f"{name}:{local}"
    if term.value.startswith(SPACES["ex"]) and sample.random.random() < 0.5:
        return f"<{term.value[len(SPACES['ex']) :]}>"
    return line_term(sample, term)


def turtle_block(sample: Sample, subject: Term) -> str:
    facts = sample.of(subject)
    groups: dict[str, list[Term]] = {}
    for relation, tail in facts:
        groups.setdefault(relation, []).append(tail)
    parts = []
    for relation, tails in groups.items():
        verb = (
            "a" if relation == RDF + "type" and sample.random.random() < 0.5 else short(sample, Term("iri", relation))
        )
        parts.append(f"{verb} {', '.join(short(sample, tail) for tail in tails)}")
    if sample.random.random() < 0.3:
        parts.append("way:has [ way:part ex:in-blank ; way:size 3.5e2 ]")
    if sample.random.random() < 0.3:
        parts.append("way:list ( ex:one ex:two 3 true () )")
    joined = " ;\n  ".join(parts)
    return f"{short(sample, subject)} {joined} .\n"


def turtle_head(sample: Sample) -> str:
    old = sample.random.random() < 0.5
    lines = [f"@base <{SPACES['ex']}> ." if old else f"BASE <{SPACES['ex']}>"]
    lines += [f"@prefix {k}: <{v}> ." if old else f"prefix {k}: <{v}>" for k, v in SPACES.items()]
    return "\n".join(lines) + "\n"


def turtle(sample: Sample) -> str:
    return turtle_head(sample) + "".join(turtle_block(sample, each) for each in sample.subjects())


def trig(sample: Sample) -> str:
    out = turtle_head(sample)
    for subject in sample.subjects():
        block = turtle_block(sample, subject)
        kind = sample.random.randrange(4)
        out += [block, f"ex:graph {{ {block} }}\n", f"GRAPH <g2> {{ {block} }}\n", f"{{ {block} }}\n"][kind]
    return out


def rdf_xml(sample: Sample) -> str:
    names = "".join(f" xmlns:{name}={quoteattr(space)}" for name, space in SPACES.items())
    out = f'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF{names} xml:base="{SPACES["ex"]}">\n'
    for subject in sample.subjects():
        about = f'rdf:nodeID="{subject.value}"' if subject.kind == "blank" else f"rdf:about={quoteattr(subject.value)}"
        out += f"  <rdf:Description {about}>\n"
        for relation, tail in sample.of(subject):
            space = RDF if relation.startswith(RDF) else SPACES["way"]
            tag = ("rdf:" if space == RDF else "way:") + relation[len(space) :]
            out += "    " + xml_property(sample, tag, tail) + "\n"
        if sample.random.random() < 0.3:
            out += '    <way:list rdf:parseType="Collection"><rdf:Description rdf:about="one"/><rdf:Bag/></way:list>\n'
        if sample.random.random() < 0.3:
            out += '    <way:has rdf:parseType="Resource"><way:part rdf:resource="in-blank"/><rdf:li rdf:resource="x"/></way:has>\n'
        out += "  </rdf:Description>\n"
    return out + "</rdf:RDF>\n"


def xml_property(sample: Sample, tag: str, tail: Term) -> str:
    if tail.kind == "blank":
        return f'<{tag} rdf:nodeID="{tail.value}"/>'
    if tail.kind == "iri":
        if sample.random.random() < 0.3:
            return f"<{tag}><rdf:Description rdf:about={quoteattr(tail.value)}/></{tag}>"
        return f"<{tag} rdf:resource={quoteattr(tail.value)}/>"
    about = (
        f' xml:lang="{tail.language}"' if tail.language else f' rdf:datatype="{tail.datatype}"' if tail.datatype else ""
    )
    return f"<{tag}{about}>{escape(tail.value)}</{tag}>"


def json_ld(sample: Sample) -> str:
    draw = sample.random
    typed = {"@id": "way:knows", "@type": "@id"}
    context = {**SPACES, "@base": SPACES["ex"], "knows": typed, "likedBy": {"@reverse": "way:likes"}}

    def name(term: Term) -> str:
        if term.kind == "blank":
            return f"_:{term.value}"
        for prefix, space in SPACES.items():
            if term.value.startswith(space) and draw.random() < 0.6:
                return f"{prefix}:{term.value[len(space) :]}"
        return term.value

    def value(term: Term) -> object:
        if term.kind != "text":
            return {"@id": name(term)}
        if term.language:
            return {"@value": term.value, "@language": term.language}
        return {"@value": term.value, "@type": term.datatype} if term.datatype else term.value

    nodes: list[dict[str, object]] = []
    for subject in sample.subjects():
        node: dict[str, object] = {"@id": name(subject)}
        groups: dict[str, list[object]] = {}
        for relation, tail in sample.of(subject):
            if relation == RDF + "type":
                groups.setdefault("@type", []).append(name(tail))
            elif relation.endswith("knows") and tail.kind != "text":
                groups.setdefault("knows", []).append(name(tail))
            else:
                groups.setdefault(relation, []).append(value(tail))
        node.update(groups)
        if draw.random() < 0.3:
            node["way:list"] = {"@list": [{"@id": "ex:one"}, {"@id": "ex:two"}, 3]}
        if draw.random() < 0.3:
            node["likedBy"] = {"@id": "in-blank", "way:has": {"way:part": {"@id": "deep"}}}
        if draw.random() < 0.2:
            node = {"@id": "ex:graph", "@graph": [node]}
        nodes.append(node)
    return json.dumps(
        {"@context": context, "@graph": nodes}, ensure_ascii=draw.random() < 0.5, indent=draw.choice([None, 1])
    )


WRITERS = {
    "nt": n_triples,
    "nq": lambda sample: n_triples(sample, graphs=True),
    "ttl": turtle,
    "trig": trig,
    "rdf": rdf_xml,
    "jsonld": json_ld,
}
