// One archive that runs on a linux-x64 machine without a network and without Node.
console.error("pack:offline is not complete yet");
process.exitCode = 1;
