export {
  alone,
  alternativesOf,
  eachAlternative,
  leastOf,
  logicOfAlternatives,
  missing,
  presentOr,
} from './alternatives.ts';
export { absolute, byDistances, sumsOfColumns } from './distances.ts';
export { addFamily, type OtherFamily } from './families.ts';
