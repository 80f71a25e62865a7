export { type CardExample, modelCard } from './card/model-card.ts';
export { type ExportOptions, exportBundle } from './export-bundle.ts';
export { checkGoldenQueries, type GoldenQuery, randomGoldenQueries } from './golden/golden-query.ts';
export { operatorPrograms } from './programs/operator-programs.ts';
export { float32Model, type ServedModel } from './programs/served-model.ts';
export { structureProgram, structurePrograms } from './programs/structure-programs.ts';
export { type TableName, type Tables, tableNames, tableParameters, tableShapes } from './programs/tables.ts';
export { materialise } from './weights/materialise.ts';
