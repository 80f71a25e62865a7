import { atLeast, type OptionForm } from '../options/option-forms.ts';

/** Where nobody waits but the page itself there is no limit. */
const requests: OptionForm = [
  'a whole number above 0',
  (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && Number(value) >= 1),
];

/** What the limits of a queue may be. */
export const waitingForms: Readonly<Record<'batchSize' | 'waitingLimit' | 'waitingTime', OptionForm>> = {
  batchSize: requests,
  waitingLimit: requests,
  waitingTime: atLeast(0),
};
