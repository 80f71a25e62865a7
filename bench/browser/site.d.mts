/** What a request is answered with. */
export interface SiteAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly body: Uint8Array | string;
}

/** A site that only this machine can open. */
export interface Site {
  readonly port: number;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** Answers a path in another way than usual, until `undefined` is given. */
  answer(path: string, answer: (() => Promise<SiteAnswer>) | undefined): void;
  close(): Promise<void>;
}

/** What the pages of a site do by themselves. */
export interface SiteOptions {
  /** A script that each page has behind the first. */
  readonly begins?: string;
  /** Whether browsers may keep the first script, as they do that of a CDN. Default false: each visit loads it. */
  readonly keepsScript?: boolean;
}

/** Serves a script at /fuzzqe.js, the runtime beside it, a bundle, and pages with the script: / and, where memory may be shared, /isolated/. */
export function serveSite(script: string, bundle: string, options?: SiteOptions): Promise<Site>;
