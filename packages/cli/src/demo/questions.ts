/** A question in words with the query that asks it of the Countries graph. */
export interface Question {
  readonly words: string;
  readonly query: string;
}

/** Five questions that need facts nobody recorded: each combines operators that the paper defines. */
export const questions: readonly Question[] = [
  {
    words: 'Countries that border France, speak German and do not use the euro',
    query:
      'and(project(borders, France), project("has official language"^-1, German), not(project("uses currency"^-1, Euro)))',
  },
  {
    words: 'Languages spoken in countries that border Brazil',
    query: 'project("has official language", project(borders, Brazil))',
  },
  {
    words: 'Countries in Western Africa that use the West African franc',
    query:
      'and(project("in subregion"^-1, "Western Africa"), project("uses currency"^-1, "West African CFA franc"))',
  },
  {
    words: 'Currencies of countries that speak Portuguese or border Spain',
    query:
      'project("uses currency", or(project("has official language"^-1, Portuguese), project(borders, Spain)))',
  },
  {
    words: 'Landlocked countries that border a neighbour of Kazakhstan and are not in Asia',
    query:
      'and(project("has sea access"^-1, Landlocked), project(borders, project(borders, Kazakhstan)), not(project("in region"^-1, Asia)))',
  },
];
