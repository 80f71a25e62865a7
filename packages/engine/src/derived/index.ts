// Apart from the rest, since it encodes graphs with protobufjs, which is CommonJS: development servers send workers no such module.
export { linksAmongOf } from '../sessions/links-among.ts';
export { rankAllOf } from '../sessions/rank-all.ts';
