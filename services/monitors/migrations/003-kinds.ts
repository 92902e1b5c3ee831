import type { Database } from "@sonde/kit/postgres/database";

type Header = { name: string; value: string; secret: boolean };
type Assertion = { source: string; property: string; op: string; value: string; isNumber?: boolean };
type Row = {
  id: number;
  url: string;
  method: string;
  expected_status: string;
  headers: Header[];
  body: string | null;
  follow_redirects: boolean;
  verify_tls: boolean;
  assertions: Assertion[];
};

/** Few rows at once, because a body can have a megabyte. */
const atOnce = 50;

/**
 * Moves a monitor's check into one value of its kind (`proto/http/monitors/kinds.ts`); all existing monitors are
 * HTTP. `target` is the text that lists show, search and sort by.
 */
export const kindsMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw(`alter table monitors add column config jsonb, add column target text`);
    for (let afterId = 0; ;) {
      const rows = await trx<Row>("monitors").where("id", ">", afterId).orderBy("id").limit(atOnce);
      for (const row of rows) {
        await trx("monitors")
          .where({ id: row.id })
          // A new revision, so that runners get the definition in its new form.
          .update({
            config: JSON.stringify(httpConfig(row)),
            target: row.url,
            revision: trx.raw("nextval('revisions')"),
          });
      }
      const last = rows.at(-1);
      if (last === undefined) break;
      afterId = last.id;
    }
    await trx.raw(`
      alter table monitors
        alter column config set not null,
        alter column target set not null,
        drop column url,
        drop column method,
        drop column expected_status,
        drop column headers,
        drop column body,
        drop column follow_redirects,
        drop column verify_tls,
        drop column assertions;
      -- Issuer of the certificate, for TLS checks.
      alter table figures add column certificate_issuer text;
    `);
  },
};

function httpConfig(row: Row) {
  return {
    type: "http",
    url: row.url,
    method: row.method,
    expectedStatus: /^\d{3}$/.test(row.expected_status) ? Number(row.expected_status) : row.expected_status,
    headers: row.headers.map(({ name, value, secret }) => ({ name, value: secret ? { sealed: value } : value })),
    ...(row.body === null ? {} : { body: row.body }),
    followRedirects: row.follow_redirects,
    verifyTls: row.verify_tls,
    assertions: row.assertions.map(readAssertion),
  };
}

/** Older assertions did not store whether a value was a number; the comparison decides. */
function readAssertion({ source, property, op, value, isNumber }: Assertion) {
  const asNumber = isNumber ?? (source === "latency" || op === "lessThan" || op === "greaterThan");
  return {
    source,
    ...(property === "" ? {} : { property }),
    op,
    ...(op === "exists"
      ? {}
      : { value: asNumber && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value }),
  };
}
