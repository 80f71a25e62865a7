export { type Logic, type LogicName, logicNames, logics } from './logic.ts';
export { sugenoNegation } from './sugeno-negation.ts';
