/**
 * Preferences as a table: people like films; films have genres, a director, a country and a decade.
 *
 * A director works in one country, in one or two genres and in two neighbouring decades, from which films have theirs. A person likes two
 * genres and one director and picks films of them, one in five by chance; popular films are picked more often. So likes are uncertain by
 * nature: no method knows which of the films of a genre a person has picked.
 *
 * CSV with a header. Ranges: `people` and `films` at least 20; the defaults give about 770 entities.
 */
export function filmsGraph(random, { people = 280, films = 400 } = {}) {
  const rows = [['subject', 'predicate', 'object']];
  const say = (...row) => rows.push(row);
  const pick = (all) => all[random.below(all.length)];
  const numbered = (kind, count) => Array.from({ length: count }, (_, i) => `${kind} ${i + 1}`);
  const [genres, countries] = [numbered('genre', 12), numbered('country', 14)];
  const decades = Array.from({ length: 7 }, (_, i) => `${1960 + 10 * i}s`);
  const directors = numbered('director', 60).map((name) => {
    const director = {
      name,
      country: pick(countries),
      genres: [pick(genres), pick(genres)],
      first: random.below(6),
    };
    say(name, 'from', director.country);
    return director;
  });
  const all = numbered('film', films).map((name) => {
    const director = pick(directors);
    const own = new Set([pick(director.genres), ...(random.uniform() < 0.3 ? [pick(genres)] : [])]);
    say(name, 'directed by', director.name);
    say(name, 'made in', random.uniform() < 0.9 ? director.country : pick(countries));
    say(name, 'released in', decades[director.first + random.below(2)]);
    for (const genre of own) say(name, 'has genre', genre);
    return { name, director, genres: own };
  });
  /** Squared, so that the first films of a list are picked more often. */
  const popular = (some) => some[Math.floor(some.length * random.uniform() ** 2)];
  for (const person of numbered('person', people)) {
    const taste = new Set([pick(genres), pick(genres)]);
    const favourite = pick(directors);
    const liked = all.filter(
      (film) => film.director === favourite || [...film.genres].some((each) => taste.has(each)),
    );
    const picks = new Set();
    for (let i = 6 + random.below(12); i > 0; i -= 1)
      picks.add(liked.length > 0 && random.uniform() < 0.8 ? popular(liked) : popular(all));
    for (const film of picks) say(person, 'likes', film.name);
  }
  return rows
    .map((row) => row.join(','))
    .concat('')
    .join('\n');
}
