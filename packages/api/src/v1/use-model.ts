import type { Context } from 'hono';
import type { ModelLease } from '../models/model-registry.ts';
import type { ApiContext, ApiEnv } from '../part/api-part.ts';

/** Works with the model that a path names, else with the default one, and keeps it open meanwhile. */
export async function useModel(
  { models }: ApiContext,
  context: Context<ApiEnv>,
  work: (model: ModelLease) => Response | Promise<Response>,
): Promise<Response> {
  const lease = await models.acquire(context.req.param('name'));
  context.set('subject', { model: lease.name, version: lease.version });
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}
