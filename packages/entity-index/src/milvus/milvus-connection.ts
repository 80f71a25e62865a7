import { FuzzError } from '@fuzzqe/core';
import type { AddressOption } from '../address/index-address.ts';
import type { StoreOptions } from '../store/index-store.ts';
import type { MilvusClient, MilvusDriver, MilvusStatus } from './milvus-driver.ts';

/** A server that is connected to when it is first asked, and anew where that failed. */
export interface MilvusConnection {
  client(): Promise<MilvusClient>;
  close(): Promise<void>;
}

/**
 * Reads an address, `milvus://user:password@host:19530/database` or `milvus+https://…?token=`; asks nothing of it yet.
 *
 * @throws FuzzError `usage`: it is none. What is secret in it is not repeated.
 */
export function createMilvusConnection(
  { MilvusClient }: MilvusDriver,
  { connection, option, timeout }: Pick<StoreOptions, 'connection' | 'option' | 'timeout'>,
): MilvusConnection {
  const { username, password, token, ...place } = readAddress(connection, option);
  const options = {
    ...place,
    ...(token === undefined ? {} : { token }),
    ...(username === '' ? {} : { username, password }),
    timeout,
    // Calls are made again by anyone who makes them.
    maxRetries: 0,
    logLevel: 'error' as const,
    telemetry: { enabled: false as const },
    channelOptions: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 2000 },
  };
  let connected: Promise<MilvusClient> | undefined;
  const connect = async (): Promise<MilvusClient> => {
    const client = new MilvusClient(options);
    try {
      await client.connectPromise;
    } catch (cause) {
      // It would give this first failure as the answer to later calls.
      connected = undefined;
      await client.closeConnection().catch(() => undefined);
      throw cause;
    }
    return client;
  };
  return {
    client: () => (connected ??= connect()),
    async close() {
      await (await connected?.catch(() => undefined))?.closeConnection();
    },
  };
}

function readAddress(text: string, option: AddressOption) {
  try {
    const isSecure = text.startsWith('milvus+https:');
    const url = new URL(text.replace(/^milvus(?:\+https)?:/, isSecure ? 'https:' : 'http:'));
    const token = url.searchParams.get('token') ?? process.env['MILVUS_TOKEN'];
    url.searchParams.delete('token');
    const [database = '', ...rest] = url.pathname.slice(1).split('/');
    if (url.searchParams.size > 0 || rest.length > 0) throw new Error('more than an address has');
    return {
      address: `${url.hostname}:${url.port || (isSecure ? 443 : 19_530)}`,
      ssl: isSecure,
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      token,
      ...(database === '' ? {} : { database: decodeURIComponent(database) }),
    };
  } catch {
    // What was thrown repeats the address.
    throw new FuzzError('usage', 'address of an index: expected milvus://host:19530/database, got another', {
      path: option,
      hint: 'Give milvus://host:19530 or milvus+https://host; user:password@ before the host or ?token= let it in.',
    });
  }
}

/** What was answered. Throws where the server refused. */
export async function accepted<T extends MilvusStatus | { readonly status: MilvusStatus }>(
  call: Promise<T>,
): Promise<T> {
  const answer = await call;
  const { error_code: code, reason } = 'status' in answer ? answer.status : answer;
  if (code !== 'Success' && code !== 0) throw new Error(reason || `${code}`);
  return answer;
}
