export { type Law, type LawClaim, lawProgram, type TruthAlgebra, tensorAlgebra } from './law.ts';
export { laws, paperLaws } from './laws.ts';
export { type Logic, type LogicName, logicNames, logics } from './logic.ts';
export { sugenoNegation } from './sugeno-negation.ts';
