import type { Manifest } from '@fuzzqe/bundle';
import type { OpenBundle } from './bundle.ts';
import type { FactChangesMaker } from './fact-changes.ts';

/** What an engine says of its model and its graph: the manifest of a bundle, or what a graph without a model has of one. */
export interface EngineManifest
  extends Pick<Manifest, 'name' | 'sha256' | 'data' | 'sets' | 'modes' | 'profiles' | 'files'> {
  /** Null if no model is there. */
  readonly model: Manifest['model'] | null;
}

/** What an engine has of a bundle or of a graph; its ranker has the rest. */
export interface EngineBundle<Of extends EngineManifest = EngineManifest>
  extends Pick<OpenBundle, 'profileName' | 'vocabulary' | 'facts' | 'provenances' | 'textsOf'> {
  readonly manifest: Of;
  /** The literals of all entities. Default: none. */
  readonly attributes?: OpenBundle['attributes'];
  /** Makes changes of facts: `changeable`. Default: facts stay as opened. */
  readonly factChanges?: FactChangesMaker;
}
