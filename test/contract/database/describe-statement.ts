import type { Client, Connection, Submittable } from 'pg';

/** A column of a statement's rows, as PostgreSQL says it without executing the statement. */
export interface DescribedColumn {
  name: string;
  /** As `format_type` writes it. */
  type: string;
  /** It is a table's column that may be null; false when it is computed. */
  mayBeNull: boolean;
}

interface Field {
  name: string;
  dataTypeID: number;
  tableID: number;
  columnID: number;
}

/** @throws what PostgreSQL has against the statement */
export async function describeStatement(client: Client, text: string): Promise<DescribedColumn[]> {
  const fields = await new Promise<Field[]>((resolve, reject) => {
    client.query(new Describe(text, resolve, reject));
  });
  const { rows } = await client.query<DescribedColumn>(DETAILS, [
    fields.map(({ name }) => name),
    fields.map(({ dataTypeID }) => dataTypeID),
    fields.map(({ tableID }) => tableID),
    fields.map(({ columnID }) => columnID),
  ]);
  return rows;
}

const DETAILS = `
  select f.name, format_type(f.type, null) as type, coalesce(not a.attnotnull, false) as "mayBeNull"
  from unnest($1::text[], $2::oid[], $3::oid[], $4::integer[]) with ordinality as f(name, type, relation, number, place)
  left join pg_attribute a on a.attrelid = f.relation and a.attnum = f.number and f.number > 0
  order by f.place`;

/** Parses the statement and asks for its columns; pg's own queries are executed, too. */
class Describe implements Submittable {
  private fields: Field[] = [];

  constructor(
    private readonly text: string,
    private readonly resolve: (fields: Field[]) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  submit(connection: Connection): void {
    connection.parse({ text: this.text, name: '', types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.fields = fields;
  }

  handleError(error: Error): void {
    this.reject(error);
  }

  handleReadyForQuery(): void {
    this.resolve(this.fields);
  }
}
