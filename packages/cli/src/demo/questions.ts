/** A question in words with the query that asks it of the Countries graph. */
export interface Question {
  readonly words: string;
  readonly query: string;
}

/**
 * Five questions, each of another shape.
 *
 * The question about Lesotho was chosen because its only fact was held out, so that no recorded fact answers it. The other
 * questions were chosen for their shapes, and because held-out facts take part in them, before any model had answered.
 */
export const questions: readonly Question[] = [
  {
    words: 'Countries that border Germany and do not use the euro',
    query: 'and(project(borders, Germany), not(project("uses currency"^-1, Euro)))',
  },
  {
    words: 'French-speaking countries in Africa that do not use the West African franc',
    query:
      'and(project("has official language"^-1, French), project("in region"^-1, Africa), not(project("uses currency"^-1, "West African CFA franc")))',
  },
  {
    words: 'Languages spoken in countries that border Lesotho',
    query: 'project("has official language", project(borders, Lesotho))',
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
];
