import type { Client } from 'pg';
import type { Statement } from '@libs/database/src/kit/statement';

/** How PostgreSQL plans a statement: for its parameters, or for any. */
export const MODES = ['custom', 'generic'] as const;

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  'Actual Rows'?: number;
  Plans?: PlanNode[];
}

/** How the statement reads the table. */
export async function scans(
  client: Client,
  { text }: Statement<unknown>,
  parameters: string,
  table: string,
  mode: string,
): Promise<string[]> {
  await client.query(`set plan_cache_mode = force_${mode}_plan`);
  await client.query(`prepare looked_at as ${text}`);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json) execute looked_at (${parameters})`,
  );
  await client.query('deallocate looked_at');
  const among = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(among)];
  return among(rows[0]!['QUERY PLAN'][0].Plan)
    .filter((node) => node['Relation Name'] === table)
    .map((node) => `${node['Node Type']}: ${node['Index Name']}`);
}
