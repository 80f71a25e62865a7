export { type ApiOptions, type App, createApp } from './app.ts';
export type { Landing } from './landing.ts';
export type { NamedId, NameListing } from './names-route.ts';
export { type Problem, type ProblemStatus, problemOf } from './problem.ts';
export type { RequestErrorCode } from './request-error.ts';
