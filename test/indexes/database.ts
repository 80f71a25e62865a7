import { createRequire } from 'node:module';
import { afterAll } from 'vitest';

/** Asks the database itself, by the driver that run-indexes.sh puts beside the package. */
export function createSql(address: string) {
  const { Pool } = createRequire(new URL('../../packages/entity-index/package.json', import.meta.url))('pg');
  const pool = new Pool({ connectionString: address, max: 2 });
  afterAll(() => pool.end());
  return async (...statements: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
    const client = await pool.connect();
    try {
      let rows: readonly Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query(statement));
      return rows;
    } finally {
      client.release();
    }
  };
}
