import { mutateSome } from "../mutate.ts";
import type { Random } from "../random.ts";

const text = (value: string) => Buffer.from(`${value}\0`);
const int = (size: number, value: number) => {
  const bytes = Buffer.alloc(size);
  bytes.writeIntBE(value, 0, size);
  return bytes;
};
const messageOf =
  (random: Random) =>
  (type: string, ...parts: Buffer[]) => {
    const body = mutateSome(Buffer.concat(parts), random);
    return Buffer.concat([Buffer.from(type), int(4, body.length + 4), body]);
  };

// Types that the library parses into other values than text.
const oids = [16, 17, 20, 21, 23, 26, 114, 600, 700, 701, 718, 1000, 1001, 1009, 1015, 1017, 1082, 1114, 1184, 1186];
const values = ["t", "1", "-", "NaN", "{1,{2}}", "{".repeat(5000), '{"a":1}', "[".repeat(5000), "(1,2)", "<(1,2),3>"];
values.push("infinity", "2026-01-31 12:00:00+00", "1 year 2 mons -3 days", "\\xdeadbeef", "1".repeat(5000), '{"\\', "");

/** Responses to a login, a transaction and a query. */
export function postgresAnswers(random: Random): Buffer[] {
  const message = messageOf(random);
  const error = message("E", text("SFATAL"), text("C28P01"), text("Mno"), Buffer.from("\0"));
  const logins = [
    message("R", int(4, 0)),
    message("R", int(4, 3)),
    message("R", int(4, 5), random.bytes(4)),
    message("R", int(4, random.below(14))),
    message("R", int(4, 10), text("SCRAM-SHA-256"), Buffer.from("\0")),
    message("R", int(4, 11), Buffer.from("r=a,s=QQ==,i=4096")),
    message("R", int(4, 12), Buffer.from("v=QQ==")),
    error,
  ];
  const ready = message("Z", Buffer.from("I"));
  const begun = [message("S", text("TimeZone"), text("UTC")), message("K", int(4, 1), int(4, 2)), ready];
  const columns = Array.from({ length: 1 + random.below(4) }, (_, n) => ({ name: `c${n}`, oid: random.pick(oids) }));
  const described = columns.flatMap(({ name, oid }) => [
    text(name),
    int(4, 0),
    int(2, 0),
    int(4, oid),
    int(2, -1),
    int(4, -1),
    int(2, 0),
  ]);
  const row = columns.flatMap(() => {
    const value = Buffer.from(random.pick(values));
    return [int(4, random.chance(0.1) ? -1 : value.length), value];
  });
  const answered = [
    message("1"),
    message("2"),
    message("T", int(2, columns.length), ...described),
    message("D", int(2, columns.length), ...row),
    message("C", text("SELECT 1")),
    ready,
  ];
  const odd = [
    message("G", int(1, 0), int(2, 1), int(2, 0)),
    message("N", text("Mhm"), Buffer.from("\0")),
    message("s"),
  ];
  if (random.chance(0.3)) answered.splice(random.below(answered.length), 0, random.pick([error, ...odd]));
  return [
    Buffer.concat([random.chance(0.6) ? logins[0]! : random.pick(logins), ...(random.chance(0.8) ? begun : [])]),
    Buffer.concat([message("C", text("BEGIN")), message("C", text("SET")), ready]),
    Buffer.concat(answered),
  ];
}

const packetOf =
  (random: Random) =>
  (sequence: number, ...parts: (Buffer | number[] | string)[]) => {
    const body = mutateSome(Buffer.concat(parts.map((part) => Buffer.from(part as string, "latin1"))), random);
    const head = Buffer.alloc(4);
    head.writeUIntLE(body.length % 2 ** 24, 0, 3);
    head[3] = sequence;
    return Buffer.concat([head, body]);
  };
const counted = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1")]);
// Numbers, strings, JSON (245), geometry (255) and others.
const mysqlTypes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15, 16, 242, 245, 246, 252, 253, 254, 255];
const lengths = [[1], [5], [251], [252, 255, 255], [253, 255, 255, 255], [254, ...Array<number>(8).fill(255)]];
lengths.push([254, 255, 255, 255, 127, 0, 0, 0, 0], [255]);

/** A greeting, and responses to a login, two statements and a query. */
export function mysqlAnswers(random: Random): Buffer[] {
  const packet = packetOf(random);
  const capabilities = random.chance(0.7) ? [0xff, 0xf7] : [...random.bytes(2)];
  const plugin = random.pick(["mysql_native_password", "caching_sha2_password", "sha256_password", "client_ed25519"]);
  const more = [0x21, 2, 0, 0xff, 0xc1, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const names = `saltsaltsalt\0${plugin}\0`;
  const greeting = packet(0, [10], "8.0.36\0", [7, 0, 0, 0], "saltsalt\0", capabilities, more, names);
  const ok = (sequence: number) => packet(sequence, [0, 0, 0, 2, 0, 0, 0]);
  const logins = [
    ok(2),
    packet(2, [254], `${plugin}\0saltsaltsaltsaltsalt\0`),
    packet(
      2,
      [1, random.below(6)],
      random.chance(0.5) ? "-----BEGIN PUBLIC KEY-----\nAA\n-----END PUBLIC KEY-----" : "",
    ),
    packet(2, [255, 0x15, 4], "#28000no"),
    packet(2, [251], "/etc/passwd"),
  ];
  const columns = 1 + random.below(3);
  const definitions = Array.from({ length: columns }, (_, n) => {
    const names = Buffer.concat(["def", "", "t", "t", `c${n}`, `c${n}`].map(counted));
    return packet(2 + n, names, [12, random.pick([33, 63, 45]), 0, 9, 0, 0, 0, random.pick(mysqlTypes), 0, 0, 0, 0, 0]);
  });
  const eof = (sequence: number) => packet(sequence, [254, 0, 0, 2, 0]);
  const cells = Array.from({ length: columns }, () =>
    random.chance(0.4) ? Buffer.from(random.pick(lengths)) : counted(random.pick(["7", "1.5", "{}", "x", "-9"])),
  );
  const row = packet(3 + columns, Buffer.concat(cells));
  return [
    greeting,
    random.chance(0.6) ? logins[0]! : random.pick(logins),
    ok(1),
    ok(1),
    Buffer.concat([packet(1, [columns]), ...definitions, eof(2 + columns), row, eof(4 + columns)]),
  ];
}
