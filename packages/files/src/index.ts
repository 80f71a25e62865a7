export { type FileWriter, openFileWriter, type WrittenFile } from './file-writer.ts';
export { expectWritable, makeFolder } from './folders/make-folder.ts';
export { syncFolder } from './folders/sync-folder.ts';
export { type FolderTarget, wholeFolder, writeFolderWhole } from './folders/write-folder.ts';
export { lockFolder } from './lock/lock-folder.ts';
export { type Lock, type LockHolder, type LockPlace, takeLock } from './lock/take-lock.ts';
export { pieceBytes, piecesOf, readFully } from './pieces.ts';
export {
  copyFileWhole,
  type FileContent,
  pathExists,
  putInPlace,
  temporaryName,
  writeError,
  writeFileWhole,
  writeNewFile,
} from './write-file.ts';
