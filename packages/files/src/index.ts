export { behindFetch, requestFailure, waitAfter } from './download/attempts.ts';
export { type FetchFileOptions, fetchFile, hashFile } from './download/fetch-file.ts';
export { readAtMost } from './download/read-at-most.ts';
export { storageError, systemErrorCode } from './errors/storage-error.ts';
export { createFile, hasHardLinks, unfinishedName } from './files/create-file.ts';
export { type FileWriter, openFileWriter, type WrittenFile } from './files/file-writer.ts';
export { expectWritable, makeFolder } from './files/make-folder.ts';
export { pieceBytes, piecesOf, readFully } from './files/pieces.ts';
export { syncFolder } from './files/sync-folder.ts';
export {
  copyFileWhole,
  copyNew,
  type FileContent,
  onDisk,
  pathExists,
  putInPlace,
  temporaryName,
  writeError,
  writeFileWhole,
  writeNewFile,
  writeTexts,
} from './files/write-file.ts';
export { inScratchFolder } from './folders/scratch-folder.ts';
export { type FolderTarget, wholeFolder, writeFolderWhole } from './folders/write-folder.ts';
export { isRunning } from './lock/is-running.ts';
export { lockFolder } from './lock/lock-folder.ts';
export { type Lock, type LockHolder, type LockPlace, takeLock } from './lock/take-lock.ts';
export { thisMachine } from './lock/this-machine.ts';
export { freeExpansion, type ReadLimits, raiseLimit, readLimits } from './reading/read-limits.ts';
export { type OpenedFile, openRegularFile, readError, readWholeFile } from './reading/regular-file.ts';
