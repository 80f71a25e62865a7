"""Asks a served bundle in SPARQL by the clients that Python programs have, and compares with the API's own answers.

usage: clients.py [http://localhost:8080]

SPARQLWrapper asks by GET, by a form and directly, in each of the four forms of results; rdflib asks as the store of a graph, and
reads the service description. Queries are links, paths, intersections, unions, negations and given entities of the graph itself,
whole, a page of them, and in ascending order. The two relations of a chain exchanged have to give another answer, and so has
another page. Clients also ask for what holds: several variables, counts, truth and graphs, and by SERVICE. Both clients change facts, which the next query sees, and are refused what facts cannot say. Ends with 1 where anything
differs.
"""

import csv
import io
import json
import sys
import urllib.parse
import urllib.request
from itertools import islice

from rdflib import Graph, URIRef
from rdflib.namespace import Namespace
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from rdflib.query import Result
from SPARQLWrapper import CSV, GET, JSON, POST, POSTDIRECTLY, TSV, TURTLE, URLENCODED, XML, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed

host = sys.argv[1].rstrip("/") if len(sys.argv) > 1 else "http://localhost:8080"
endpoint = f"{host}/sparql"
answers_wanted = 7
# The most that the server gives to one query.
most_answers = 1000


def fetch(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(host + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def iri(kind, key):
    return key if "://" in key else f"urn:fuzzqe:{kind}:{urllib.parse.quote(key, safe='/:@!$&()*+,;=~')}"


def ask_api(query, k=answers_wanted):
    # Rows of a query that names ?degree: what has a degree of 0.01 or more.
    answers = fetch("/v1/query", {"query": query, "k": k, "minDegree": 0.01})["answers"]
    return [(iri("entity", answer["key"]), answer["degree"]) for answer in answers]


def close(ours, theirs):
    plain = urllib.parse.unquote
    return len(ours) == len(theirs) and all(
        plain(a) == plain(c) and abs(b - d) <= 1e-6 for (a, b), (c, d) in zip(ours, theirs)
    )


def wrapper(query, method=GET, form=JSON, direct=False):
    client = SPARQLWrapper(endpoint)
    client.setQuery(query)
    client.setMethod(method)
    client.setReturnFormat(form)
    client.setRequestMethod(POSTDIRECTLY if direct else URLENCODED)
    found = client.query().convert()
    if form == JSON:
        return [(row["x"]["value"], float(row["degree"]["value"])) for row in found["results"]["bindings"]]
    if form == XML:
        rows = found.getElementsByTagName("result")
        return [
            tuple(binding.firstChild.firstChild.data for binding in row.getElementsByTagName("binding"))
            for row in rows
        ]
    if form == CSV:
        return [(x, float(degree)) for x, degree in list(csv.reader(io.StringIO(found.decode())))[1:]]
    return [(str(row[0]), float(row[1])) for row in Result.parse(io.BytesIO(found), format="tsv")]


def rdflib_rows(query):
    graph = Graph(SPARQLStore(endpoint, returnFormat="json"))
    return [(str(row.x), float(row.degree)) for row in graph.query(query)]


def recorded(head, relation):
    """The recorded tails of a fact."""
    query = {"project": relation, "from": {"entity": head}}
    k = min(most_answers, fetch("/v1/entities?limit=1")["total"])
    answers = fetch("/v1/query", {"query": query, "k": k})["answers"]
    return {iri("entity", answer["key"]) for answer in answers if answer["state"] == "recorded"}


def check_graph(check):
    """Asks for what holds: several variables, counts, truth, graphs, and federation by rdflib."""
    relation = fetch("/v1/relations?limit=1")["results"][0]["key"]
    entities = [each["key"] for each in fetch("/v1/entities?limit=200")["results"]]
    head = next(key for key in entities if recorded(key, relation))
    query = {"project": relation, "from": {"entity": head}}
    k = min(most_answers, fetch("/v1/entities?limit=1")["total"])
    likely = {iri("entity", each["key"]) for each in fetch("/v1/query", {"query": query, "k": k})["answers"]}
    same = lambda found: [(each, 1) for each in sorted(found)]
    subject, predicate = iri("entity", head), iri("relation", relation)
    pattern = f"<{subject}> <{predicate}> ?y"
    store = Graph(SPARQLStore(endpoint, returnFormat="json"))
    rows = list(store.query(f"SELECT ?y ?l {{ {pattern} . ?y rdfs:label ?l OPTIONAL {{ ?y <urn:none> ?z }} }}"))
    check("labels, rdflib", same(likely), same(str(y) for y, _ in rows))
    check("labels, rdflib, each", [("", len(rows))], [("", len({str(label) for _, label in rows}))])
    (count,) = store.query(f"SELECT (COUNT(?y) AS ?n) {{ {pattern} }}")
    check("COUNT, rdflib", [("n", len(likely))], [("n", int(count[0]))])
    for tail, truth in ((next(iter(likely)), True), ("urn:none", False)):
        asked = store.query(f"ASK {{ <{subject}> <{predicate}> <{tail}> }}").askAnswer
        check("ASK, rdflib", [("", int(truth))], [("", int(asked))])
    client = SPARQLWrapper(endpoint)
    client.setReturnFormat(TURTLE)
    graphs = ((f"CONSTRUCT WHERE {{ {pattern} }}", likely), (f"DESCRIBE <{subject}>", recorded(head, relation)))
    for text, expected in graphs:
        client.setQuery(text)
        graph = Graph().parse(data=client.query().convert(), format="turtle")
        found = graph.objects(URIRef(subject), URIRef(predicate))
        check(f"{text.split()[0]}, SPARQLWrapper", same(expected), same(str(each) for each in found))
    federated = Graph().query(f"SELECT ?y {{ SERVICE <{endpoint}> {{ {pattern} }} }}")
    check("SERVICE, rdflib", same(likely), same(str(row.y) for row in federated))


def check_updates(check):
    """Adds a fact by rdflib and removes it by SPARQLWrapper, whichever way an update is sent."""
    relation = fetch("/v1/relations?limit=1")["results"][0]["key"]
    entities = [each["key"] for each in fetch("/v1/entities?limit=200")["results"]]
    head = entities[0]
    before = recorded(head, relation)
    tail = next(iri("entity", key) for key in entities if iri("entity", key) not in before)
    same = lambda found: [(each, 1) for each in sorted(found)]

    def wrapped(update, direct):
        client = SPARQLWrapper(endpoint)
        client.setQuery(update)
        client.setMethod(POST)
        client.setRequestMethod(POSTDIRECTLY if direct else URLENCODED)
        client.query()

    fact = (URIRef(iri("entity", head)), URIRef(iri("relation", relation)), URIRef(tail))
    written = " ".join(f"<{each}>" for each in fact)
    for direct in (False, True):
        graph = Graph(SPARQLUpdateStore(endpoint, endpoint, context_aware=False))
        graph.add(fact)
        check("INSERT DATA, rdflib", same(before | {tail}), same(recorded(head, relation)))
        wrapped(f"DELETE DATA {{ {written} }}", direct)
        check("DELETE DATA, SPARQLWrapper", same(before), same(recorded(head, relation)))
    subject, predicate, _ = (f"<{each}>" for each in fact)
    turned = f"DELETE {{ {subject} {predicate} ?x }} INSERT {{ ?x {predicate} {subject} }} WHERE {{ {subject} {predicate} ?x }}"
    wrapped(turned, True)
    check("DELETE INSERT WHERE, SPARQLWrapper", [], same(recorded(head, relation) - {iri("entity", head)}))
    try:
        wrapped(f"INSERT DATA {{ {subject} {predicate} \"text\" }}", True)
        check("a literal", [("a refusal", 1)], [])
    except QueryBadFormed as error:
        assert "literal" in str(error), error


def cases():
    """Queries that have recorded answers, as the notation and as SPARQL."""
    relations = [each["key"] for each in fetch("/v1/relations?limit=1000")["results"]]
    entities = [each["key"] for each in fetch("/v1/entities?limit=200")["results"]]

    def known(relation, key):
        body = {"query": {"project": relation, "from": {"entity": key}}, "k": 1}
        return any(answer["state"] == "recorded" for answer in fetch("/v1/query", body)["answers"])

    links = list(islice(((r, e) for e in entities for r in relations if known(r, e)), 6))
    entity = lambda key: f"<{iri('entity', key)}>"
    relation = lambda key: f"<{iri('relation', key)}>"
    project = lambda r, q: {"project": r, "from": q}
    anchor = lambda e: {"entity": e}
    for (r, a), (s, b) in zip(links, links[1:]):
        one, two = project(r, anchor(a)), project(s, anchor(b))
        first, second = f"{entity(a)} {relation(r)} ?x", f"{entity(b)} {relation(s)} ?x"
        yield "1p", one, first
        yield "1p backwards", project(r + "^-1", anchor(b)), f"?x {relation(r)} {entity(b)}"
        yield "1p by ^", project(r + "^-1", anchor(b)), f"{entity(b)} ^{relation(r)} ?x"
        there_and_back = project(s + "^-1", one)
        yield "a path with ^", there_and_back, f"{entity(a)} {relation(r)}/^{relation(s)} ?x"
        given = {"or": [anchor(a), anchor(b)]}
        yield "VALUES", given, f"VALUES ?x {{ {entity(a)} {entity(b)} }}"
        yield "from VALUES", project(r, given), f"VALUES ?y {{ {entity(a)} {entity(b)} }} ?y {relation(r)} ?x"
        among = [answer["key"] for answer in fetch("/v1/query", {"query": one, "k": 3, "minDegree": 0})["answers"]]
        some = " ".join(entity(key) for key in among)
        yield "among VALUES", {"and": [one, {"or": [anchor(key) for key in among]}]}, f"{first} VALUES ?x {{ {some} }}"
        yield "2p", project(s, one), f"{entity(a)} {relation(r)}/{relation(s)} ?x"
        yield "2i", {"and": [one, two]}, f"{first} . {second}"
        yield "2u", {"or": [one, two]}, f"{{ {first} }} UNION {{ {second} }}"
        either = {"or": [one, project(s, anchor(a))]}
        yield "either of two paths", either, f"{entity(a)} {relation(r)}|{relation(s)} ?x"
        further = {"or": [project(r, one), project(s, one)]}
        yield "a path, then either", further, f"{entity(a)} {relation(r)}/({relation(r)}|{relation(s)}) ?x"
        yield "2in", {"and": [one, {"not": two}]}, f"{first} FILTER NOT EXISTS {{ {second} }}"
        yield "2in by MINUS", {"and": [one, {"not": two}]}, f"{first} MINUS {{ {second} }}"


def main():
    checked = failed = 0

    def check(name, ours, theirs):
        nonlocal checked, failed
        checked += 1
        if not close(ours, theirs):
            failed += 1
            print(f"{name}: expected {ours[:3]}…, got {theirs[:3]}…")

    def check_order(name, query, patterns):
        """A page of the answers, and the answers from the least degree and by name."""
        nonlocal pages_differ
        select = f"SELECT ?x ?degree WHERE {{ {patterns} }}"
        ours = ask_api(query, min(most_answers, fetch("/v1/entities?limit=1")["total"]))
        degrees = dict(ours)
        clients = (("SPARQLWrapper", wrapper), ("rdflib", rdflib_rows))
        for client, rows in clients:
            page = f"{select} ORDER BY DESC(?degree) LIMIT 4 OFFSET 3"
            check(f"{name}, {client}, OFFSET", ours[3:7], rows(page))
            pages_differ += len(ours) > 4 and not close(ours[:4], rows(page))
            for order in ("?degree", "ASC(?degree)"):
                # Of equal degrees any may come first.
                least = rows(f"{select} ORDER BY {order} LIMIT {answers_wanted}")
                expected = sorted(degrees.values())[:answers_wanted]
                check(f"{name}, {client}, ORDER BY {order}", [("", each) for each in expected], [("", d) for _, d in least])
                check(f"{name}, {client}, ORDER BY {order}, names", [(x, degrees.get(x, -1)) for x, _ in least], least)
                distinct = len({x for x, _ in least})
                check(f"{name}, {client}, ORDER BY {order}, each once", [("", len(least))], [("", distinct)])
            by_name = rows(f"{select} ORDER BY ?x LIMIT {answers_wanted}")
            check(f"{name}, {client}, ORDER BY ?x", sorted(ours)[:answers_wanted], by_name)

    differ = pages_differ = 0
    for name, query, patterns in cases():
        text = f"SELECT ?x ?degree WHERE {{ {patterns} }} ORDER BY DESC(?degree) LIMIT {answers_wanted}"
        ours = ask_api(query)
        for way, arguments in (
            ("GET", {}),
            ("form", {"method": POST}),
            ("direct", {"method": POST, "direct": True}),
            ("CSV", {"form": CSV}),
            ("TSV", {"form": TSV}),
        ):
            check(f"{name}, SPARQLWrapper, {way}", ours, wrapper(text, **arguments))
        xml = [(x.strip(), float(degree)) for x, degree in wrapper(text, form=XML)]
        check(f"{name}, SPARQLWrapper, XML", ours, xml)
        check(f"{name}, rdflib", ours, rdflib_rows(text))
        if name in ("1p", "1p by ^", "2i", "2in", "VALUES"):
            check_order(name, query, patterns)
        if name == "2p":
            inner = query["from"]
            exchanged = {"project": inner["project"], "from": {"project": query["project"], "from": inner["from"]}}
            differ += query["project"] != inner["project"] and not close(ours, ask_api(exchanged))

    try:
        wrapper("SELECT ?x ?y ?degree { ?x ?r ?y }")
        failed += 1
        print("degrees of two variables: expected a refusal, got an answer")
    except QueryBadFormed as error:
        checked += 1
        assert "expected a relation, got a variable" in str(error), error

    description = Graph().parse(endpoint, format="turtle")
    service = Namespace("http://www.w3.org/ns/sparql-service-description#")
    endpoints = list(description.objects(None, service.endpoint))
    check("service description", [(str(URIRef(endpoint)), 1)], [(str(each), 1) for each in endpoints])

    check_graph(check)
    check_updates(check)
    print(
        f"{checked} checks, {failed} failed; relations exchanged changed the answer {differ} times, another page {pages_differ} times"
    )
    sys.exit(1 if failed or differ == 0 or pages_differ == 0 else 0)


main()
