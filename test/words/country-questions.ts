/** A question as an owner of the Countries graph would write it, and the pattern that it means. */
export interface CountryQuestion {
  readonly question: string;
  /** In the notation, by the keys of relations and the labels of entities; undefined where the graph cannot answer. */
  readonly pattern?: string;
  /** Whether it asks how many. */
  readonly count?: boolean;
}

const ask = (question: string, pattern: string): CountryQuestion => ({ question, pattern });
const count = (question: string, pattern: string): CountryQuestion => ({ question, pattern, count: true });

/** Written before the templates that are judged by them. */
export const countryQuestions: readonly CountryQuestion[] = [
  ask('What borders France?', '?x : borders(?x, France)'),
  ask('which countries border Germany', '?x : borders(?x, Germany)'),
  ask('capital of France', '?x : capital(France, ?x)'),
  ask('What is the capital of Peru?', '?x : capital(Peru, ?x)'),
  ask("What's the capital of Kenya?", '?x : capital(Kenya, ?x)'),
  ask("Japan's capital", '?x : capital(Japan, ?x)'),
  ask('What does Spain border?', '?x : borders(Spain, ?x)'),
  ask('Which countries does Brazil border?', '?x : borders(Brazil, ?x)'),
  ask('What currency does Switzerland use?', '?x : currency(Switzerland, ?x)'),
  ask('What is the currency of Japan', '?x : currency(Japan, ?x)'),
  ask('Which currency is used in Mexico?', '?x : currency(Mexico, ?x)'),
  ask('Who uses the euro?', '?x : currency(?x, Euro)'),
  ask('countries that use the Euro', '?x : currency(?x, Euro)'),
  ask('Which countries use the euro as their currency?', '?x : currency(?x, Euro)'),
  ask('official languages of Belgium', '?x : language(Belgium, ?x)'),
  ask('What are the official languages of South Africa?', '?x : language("South Africa", ?x)'),
  ask('What languages are spoken in Bolivia?', '?x : language(Bolivia, ?x)'),
  ask('Where is French an official language?', '?x : language(?x, French)'),
  ask('In which countries is Arabic an official language?', '?x : language(?x, Arabic)'),
  ask('Which countries have Spanish as an official language?', '?x : language(?x, Spanish)'),
  ask('who speaks Portuguese', '?x : language(?x, Portuguese)'),
  ask('Which countries are in Africa?', '?x : region(?x, Africa)'),
  ask('countries in South America', '?x : subregion(?x, "South America")'),
  ask('list all countries in Europe', '?x : region(?x, Europe)'),
  ask('Show me the countries in Northern Europe', '?x : subregion(?x, "Northern Europe")'),
  ask('Which region is Egypt in?', '?x : region(Egypt, ?x)'),
  ask('What is the region of Fiji?', '?x : region(Fiji, ?x)'),
  ask('Which subregion does Chad belong to?', '?x : subregion(Chad, ?x)'),
  ask('What is part of Europe?', '?x : partOf(?x, Europe)'),
  ask('What is Southern Asia part of?', '?x : partOf("Southern Asia", ?x)'),
  ask('What is South-Eastern Asia part of?', '?x : partOf("South-Eastern Asia", ?x)'),
  ask('Which country has the capital Ottawa?', '?x : capital(?x, Ottawa)'),
  ask('What country has capital Nairobi?', '?x : capital(?x, Nairobi)'),
  ask('Paris is the capital of which country?', '?x : capital(?x, Paris)'),
  ask('Which landlocked countries are there in Europe?', '?x : coast(?x, Landlocked), region(?x, Europe)'),
  ask('What is the calling zone of Canada?', '?x : callingZone(Canada, ?x)'),
  ask('UN regional group of Israel', '?x : unGroup(Israel, ?x)'),
  ask('Which UN regional group is Turkey in?', '?x : unGroup("Türkiye", ?x)'),
  ask('What is the sovereignty of Greenland?', '?x : sovereignty(Greenland, ?x)'),
  ask('What is the unit of the Canadian dollar?', '?x : currencyUnit("Canadian dollar", ?x)'),
  ask('which currencies have unit Dollar', '?x : currencyUnit(?x, Dollar)'),

  ask('Does France border Spain?', 'borders(France, Spain)'),
  ask('does germany border italy', 'borders(Germany, Italy)'),
  ask('Is Paris the capital of France?', 'capital(France, Paris)'),
  { question: 'Is the capital of Australia Sydney?' },
  ask('Is the capital of Australia Canberra?', 'capital(Australia, Canberra)'),
  ask('Is Kenya in Africa?', 'region(Kenya, Africa)'),
  ask('Does Denmark use the euro?', 'currency(Denmark, Euro)'),
  ask('Is German an official language of Belgium?', 'language(Belgium, German)'),
  ask('Do Portugal and Spain border each other?', 'borders(Portugal, Spain)'),
  ask('Is Bolivia landlocked?', 'coast(Bolivia, Landlocked)'),
  ask('Do France and Germany use the same currency?', 'currency(France, ?c), currency(Germany, ?c)'),
  ask(
    'Does Austria border a country that uses the Swiss franc?',
    'borders(Austria, ?y), currency(?y, "Swiss franc")',
  ),
  ask('Is Western Europe part of Europe?', 'partOf("Western Europe", Europe)'),
  ask('Does Switzerland have Italian as an official language?', 'language(Switzerland, Italian)'),

  count('How many countries border China?', '?x : borders(?x, China)'),
  count('how many countries use the euro', '?x : currency(?x, Euro)'),
  count('How many official languages does Switzerland have?', '?x : language(Switzerland, ?x)'),
  count('How many countries are in Oceania?', '?x : region(?x, Oceania)'),
  count('How many countries does Russia border?', '?x : borders(Russia, ?x)'),
  count('How many countries in Africa border Libya?', '?x : region(?x, Africa), borders(?x, Libya)'),
  count('How many neighbours does Austria have?', '?x : borders(?x, Austria)'),
  count('number of countries that have Arabic as official language', '?x : language(?x, Arabic)'),

  ask('Which countries border both France and Germany?', '?x : borders(?x, France), borders(?x, Germany)'),
  ask('what borders Austria and Italy', '?x : borders(?x, Austria), borders(?x, Italy)'),
  ask('Which countries border France or Spain?', '?x : or(borders(?x, France), borders(?x, Spain))'),
  ask('Which countries border France but not Germany?', '?x : borders(?x, France), not borders(?x, Germany)'),
  ask(
    'Which countries border Germany and do not use the euro?',
    '?x : borders(?x, Germany), not currency(?x, Euro)',
  ),
  ask(
    "which countries border germany and don't use the euro",
    '?x : borders(?x, Germany), not currency(?x, Euro)',
  ),
  ask('Which countries in Europe use the euro?', '?x : region(?x, Europe), currency(?x, Euro)'),
  ask('Countries in Asia that border Russia', '?x : region(?x, Asia), borders(?x, Russia)'),
  ask('Which European countries do not use the euro?', '?x : region(?x, Europe), not currency(?x, Euro)'),
  ask(
    'countries in Africa where French is an official language',
    '?x : region(?x, Africa), language(?x, French)',
  ),
  ask(
    'Which countries have official language English and border France?',
    '?x : language(?x, English), borders(?x, France)',
  ),
  ask(
    'Which countries are in Western Europe and use the euro?',
    '?x : subregion(?x, "Western Europe"), currency(?x, Euro)',
  ),
  ask('Which African countries are landlocked?', '?x : region(?x, Africa), coast(?x, Landlocked)'),

  ask(
    'What are the capitals of the countries that border France?',
    '?x : capital(?y, ?x), borders(?y, France)',
  ),
  ask('capitals of countries bordering Germany', '?x : capital(?y, ?x), borders(?y, Germany)'),
  ask(
    'What currencies do the countries that border Switzerland use?',
    '?x : currency(?y, ?x), borders(?y, Switzerland)',
  ),
  ask('official languages of the countries that border Brazil', '?x : language(?y, ?x), borders(?y, Brazil)'),
  ask('What is the unit of the currency of Australia?', '?x : currencyUnit(?y, ?x), currency(Australia, ?y)'),
  ask("What is the unit of Norway's currency?", '?x : currencyUnit(?y, ?x), currency(Norway, ?y)'),
  ask('Which countries border a country that uses the euro?', '?x : borders(?x, ?y), currency(?y, Euro)'),
  ask('What borders the countries that border Portugal?', '?x : borders(?x, ?y), borders(?y, Portugal)'),
  ask('Which countries use the currency of Senegal?', '?x : currency(?x, ?y), currency(Senegal, ?y)'),
  ask(
    'Which countries share a currency with France?',
    '?x : currency(?x, ?y), currency(France, ?y), ?x != France',
  ),
  ask(
    'Which countries have the same currency as Ecuador?',
    '?x : currency(?x, ?y), currency(Ecuador, ?y), ?x != Ecuador',
  ),
  ask(
    'which countries speak the same language as Brazil',
    '?x : language(?x, ?y), language(Brazil, ?y), ?x != Brazil',
  ),
  ask('Which countries border a neighbour of Portugal?', '?x : borders(?x, ?y), borders(?y, Portugal)'),
  ask(
    'Which countries border the country whose capital is Vienna?',
    '?x : borders(?x, ?y), capital(?y, Vienna)',
  ),
  ask(
    'What is the capital of the country that borders Portugal?',
    '?x : capital(?y, ?x), borders(?y, Portugal)',
  ),
  { question: 'countries whose capital is Kingston' },
  ask(
    'Which languages are official in the countries that border Laos?',
    '?x : language(?y, ?x), borders(?y, Laos)',
  ),
  ask('What is the region of the country with capital Lima?', '?x : region(?y, ?x), capital(?y, Lima)'),
  ask('Which countries are bordered by Mali?', '?x : borders(Mali, ?x)'),
  ask(
    'Which pairs of countries border each other and use different currencies?',
    '?x, ?y : borders(?x, ?y), currency(?x, ?c), not currency(?y, ?c)',
  ),
  ask(
    'Which countries in South America are not landlocked?',
    '?x : subregion(?x, "South America"), not coast(?x, Landlocked)',
  ),
  ask(
    'Which regions have countries that use the US dollar?',
    '?x : region(?y, ?x), currency(?y, "United States dollar")',
  ),
  { question: 'What is the biggest country in Asia?' },
  { question: 'What is the population of France?' },
];
