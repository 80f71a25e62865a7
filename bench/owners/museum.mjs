const classes = [
  ['Painting', 'Artwork'],
  ['Sculpture', 'Artwork'],
  ['Print', 'Artwork'],
  ['Etching', 'Print'],
  ['Painter', 'Artist'],
  ['Sculptor', 'Artist'],
  ['City', 'Place'],
  ['Country', 'Place'],
  ['Stone', 'Material'],
  ['Pigment', 'Material'],
];
const properties = [
  ['createdBy', 'is by'],
  ['creatorOf', 'made'],
  ['contemporaryOf', 'is a contemporary of'],
  ['influencedBy', 'is influenced by'],
  ['memberOf', 'belongs to'],
  ['inStyle', 'is in the style of'],
  ['madeOf', 'is made of'],
  ['bornIn', 'was born in'],
  ['workedIn', 'worked in'],
  ['heldIn', 'hangs in'],
  ['partOf', 'is part of'],
  ['hasPart', 'contains'],
];
/** What artworks of a class are made of: the numbers of its materials. */
const materialsOf = { Painting: [0, 8], Sculpture: [8, 16], Print: [14, 18], Etching: [16, 20] };

/**
 * A museum as an ontology in Turtle: artworks, artists, movements, materials and places, with labels in English.
 *
 * Classes are below each other (rdfs:subClassOf); createdBy and creatorOf, partOf and hasPart are declared inverses, contemporaryOf is
 * declared symmetric and partOf transitive. Each of these facts is written in one of its directions, drawn by chance, so the axioms say the
 * other. Artists of a movement work in its two cities, are contemporaries of each other and mostly follow artists of an earlier movement; an
 * artwork has the style of its artist's movement in 9 of 10 cases, a material of its class, and hangs mostly in a city of its movement.
 *
 * Ranges: `artworks` at least 50; with the default 520 the graph has about 800 entities.
 */
export function museumGraph(random, { artworks = 520 } = {}) {
  const lines = [];
  const pick = (all) => all[random.below(all.length)];
  const numbered = (kind, count) => Array.from({ length: count }, (_, i) => `m:${kind}${i + 1}`);
  const say = (head, relation, tail) => lines.push(`${head} ${relation} ${tail} .`);
  const named = (key, type, label) => lines.push(`${key} a m:${type} ; rdfs:label "${label}"@en .`);
  const either = (a, relation, b, inverse = relation) =>
    random.below(2) === 0 ? say(a, `m:${relation}`, b) : say(b, `m:${inverse}`, a);

  for (const [sub, above] of classes) say(`m:${sub}`, 'rdfs:subClassOf', `m:${above}`);
  for (const [property, label] of properties) lines.push(`m:${property} rdfs:label "${label}"@en .`);
  say('m:createdBy', 'owl:inverseOf', 'm:creatorOf');
  say('m:partOf', 'owl:inverseOf', 'm:hasPart');
  say('m:contemporaryOf', 'a', 'owl:SymmetricProperty');
  say('m:partOf', 'a', 'owl:TransitiveProperty');

  const [countries, cities] = [numbered('country', 8), numbered('city', 40)];
  countries.forEach((each, i) => {
    named(each, 'Country', `Country ${i + 1}`);
  });
  cities.forEach((city, i) => {
    named(city, 'City', `City ${i + 1}`);
    either(city, 'partOf', countries[i % countries.length], 'hasPart');
  });
  const materials = numbered('material', 20);
  materials.forEach((each, i) => {
    named(each, i >= 8 && i < 14 ? 'Stone' : 'Pigment', `Material ${i + 1}`);
  });

  const movements = numbered('movement', 12).map((key, i) => {
    named(key, 'Movement', `Movement ${i + 1}`);
    return { key, places: [cities[(3 * i) % 40], cities[(3 * i + 8) % 40]], artists: [] };
  });
  movements.forEach(({ key }, i) => {
    if (i > 0) say(key, 'm:influencedBy', movements[i - 1].key);
  });
  const artists = numbered('artist', 130).map((key, i) => {
    const movement = movements[i % movements.length];
    const isSculptor = random.uniform() < 0.3;
    const artist = { key, movement, isSculptor };
    named(key, isSculptor ? 'Sculptor' : 'Painter', `Artist ${i + 1}`);
    say(key, 'm:memberOf', movement.key);
    say(key, 'm:bornIn', pick(cities));
    for (const place of movement.places) if (random.uniform() < 0.8) say(key, 'm:workedIn', place);
    for (const other of movement.artists)
      if (random.uniform() < 0.7) either(key, 'contemporaryOf', other.key);
    const earlier = movements[movements.indexOf(movement) - 1];
    if (earlier !== undefined && earlier.artists.length > 0)
      say(key, 'm:influencedBy', pick(earlier.artists).key);
    movement.artists.push(artist);
    return artist;
  });
  numbered('artwork', artworks).forEach((key, i) => {
    const artist = pick(artists);
    const type =
      artist.isSculptor && random.uniform() < 0.8
        ? 'Sculpture'
        : pick(['Painting', 'Painting', 'Print', 'Etching']);
    named(key, type, `Artwork ${i + 1}`);
    either(key, 'createdBy', artist.key, 'creatorOf');
    const style = random.uniform() < 0.9 ? artist.movement : pick(movements);
    say(key, 'm:inStyle', style.key);
    const [from, to] = materialsOf[type];
    say(key, 'm:madeOf', materials[from + random.below(to - from)]);
    say(key, 'm:heldIn', random.uniform() < 0.7 ? pick(artist.movement.places) : pick(cities));
  });
  const prefixes = [
    '@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .',
    '@prefix owl: <http://www.w3.org/2002/07/owl#> .',
    '@prefix m: <http://example.org/museum/> .',
  ];
  return [...prefixes, ...lines, ''].join('\n');
}
