/** The share of couples that live where the first of them was born. */
const staying = 0.6;

/**
 * Families over generations, with their cities, schools and companies: facts that follow from each other.
 *
 * Couples of 30 founding families have 1 to 4 children, until about 1 500 people are there; people of one generation marry outside their
 * family. Every fact has its mirror (spouse, sibling; parent and child) and its reasons: children have the parents of their siblings, couples
 * live in one city, people are born where their parents live, visit a school of the city where they were born, and work for a company of the
 * city where they live, half of them for the company of a parent. Nothing is noise, except which school, city or company is drawn.
 *
 * Lines: head TAB relation TAB tail. Ranges: `people` at least 100.
 */
export function familyGraph(random, { people = 1500 } = {}) {
  const facts = [];
  const say = (head, relation, tail) => facts.push([head, relation, tail]);
  const both = (a, relation, b) => {
    say(a, relation, b);
    say(b, relation, a);
  };
  const pick = (all) => all[random.below(all.length)];
  const numbered = (kind, count) => Array.from({ length: count }, (_, i) => `${kind}${i + 1}`);
  const [cities, regions] = [numbered('city', 24), numbered('region', 6)];
  const inCity = (kind, each) =>
    new Map(cities.map((city, i) => [city, numbered(`${kind}_${i + 1}_`, each)]));
  const [schools, companies] = [inCity('school', 2), inCity('company', 3)];
  for (const [i, city] of cities.entries()) {
    say(city, 'in_region', regions[i % regions.length]);
    for (const school of schools.get(city)) say(school, 'located_in', city);
    for (const company of companies.get(city)) say(company, 'located_in', city);
  }

  let count = 0;
  const born = (sex, family, city, parents) => {
    count += 1;
    const person = { name: `person${count}`, sex, family, city, parents };
    say(person.name, 'sex', sex);
    say(person.name, 'born_in', city);
    say(person.name, 'visited', pick(schools.get(city)));
    for (const parent of parents) {
      say(person.name, 'parent', parent.name);
      say(parent.name, 'child', person.name);
    }
    return person;
  };
  const settle = (person, city) => {
    person.home = city;
    say(person.name, 'lives_in', city);
    const near = person.parents.filter(({ home, company }) => home === city && company !== undefined);
    person.company =
      near.length > 0 && random.uniform() < 0.5 ? pick(near).company : pick(companies.get(city));
    say(person.name, 'works_for', person.company);
  };

  let generation = Array.from({ length: 60 }, (_, i) =>
    born(i % 2 === 0 ? 'female' : 'male', i >> 1, pick(cities), []),
  );
  while (count < people && generation.length > 0) {
    const [women, men] = ['female', 'male'].map((sex) => generation.filter((each) => each.sex === sex));
    const next = [];
    for (const woman of women) {
      if (count >= people) break;
      const at = men.findIndex(({ family }) => family !== woman.family);
      if (at < 0) continue;
      const [man] = men.splice(at, 1);
      both(woman.name, 'spouse', man.name);
      const home = random.uniform() < staying ? woman.city : pick(cities);
      settle(woman, home);
      settle(man, home);
      const children = Array.from({ length: 1 + random.below(4) }, () =>
        born(random.below(2) === 0 ? 'female' : 'male', man.family, home, [woman, man]),
      );
      children.forEach((child, i) => {
        for (const older of children.slice(0, i)) both(child.name, 'sibling', older.name);
      });
      next.push(...children);
    }
    for (const single of generation) if (single.home === undefined) settle(single, single.city);
    generation = shuffled(next, random);
  }
  for (const young of generation) settle(young, young.parents[0]?.home ?? young.city);
  return facts
    .map((fact) => fact.join('\t'))
    .concat('')
    .join('\n');
}

function shuffled(all, random) {
  const order = all.slice();
  for (let i = order.length - 1; i > 0; i -= 1) {
    const other = random.below(i + 1);
    [order[i], order[other]] = [order[other], order[i]];
  }
  return order;
}
