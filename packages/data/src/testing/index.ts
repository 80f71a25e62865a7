export { betaEFiles } from './betae-files.ts';
export { buildingTurtle } from './building-turtle.ts';
export { packedTexts } from './packed-files.ts';
export { smallEntityCount, smallGraphs } from './small-graphs.ts';
export { tinyDataset, tinyGraph } from './tiny-dataset.ts';
export { writeZip } from './write-zip.ts';
