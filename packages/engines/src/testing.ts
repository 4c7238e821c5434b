// Parts of the engines that tests use directly: the cache, the downloads, Java and free ports.
export { cacheFolder } from './cache-folder.ts';
export { findDistribution } from './distribution.ts';
export { findExecutable } from './executable.ts';
export { findJavas, pickJava } from './java-home.ts';
export { freePorts } from './ports.ts';
