import { targetOf } from "@sonde/proto/http/monitors/kinds";
import { type MonitorInput, monitorInput, splitInput } from "@sonde/proto/http/monitors/monitors";
import { channelConfig } from "@sonde/proto/http/notifications/channels";
import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { faultsOf, type FieldFault } from "@sonde/proto/http/reasons/issues";
import { brotliCompressSync, constants } from "node:zlib";
import type {
  Draft,
  DraftChannel,
  DraftMonitor,
  DraftSettings,
  PreparedChannel,
  PreparedImport,
  PreparedMonitor,
  PreparedSettings,
  RefusedObject,
} from "./shapes.ts";

/** A part is one message of the bus (1 MiB); a single monitor may weigh as much as that by itself. */
const partBytes = 256 * 1024;
const partLines = 200;

/** Holds a draft against the rules of the public API; what is against them is named with the reason. */
export function prepare(draft: Draft): PreparedImport {
  const refused: RefusedObject[] = [...draft.refused];
  const valid: { draft: DraftMonitor; input: MonitorInput }[] = [];
  for (const monitor of draft.monitors) {
    const parsed = monitorInput.safeParse({ ...monitor.input, dependsOn: [] });
    if (parsed.success) valid.push({ draft: monitor, input: parsed.data });
    else refused.push({ type: "monitor", name: monitor.name, why: whyOf(faultsOf(parsed.error.issues)) });
  }
  const lineOfKey = new Map(valid.map(({ draft: { key } }, at) => [key, at + 1]));
  const lines = valid.map(({ draft: monitor, input }) => {
    const { refs, lost } = readRefs(monitor.input["dependsOn"], lineOfKey);
    if (lost) monitor.notes.push({ text: "Without what it depends on, as far as that does not come" });
    return { ...input, dependsOn: refs };
  });
  return {
    monitors: valid.map(({ draft: monitor, input }) => preparedMonitor(monitor, input, refused)),
    parts: partsOf(lines),
    zipped: zip(lines),
    channels: draft.channels.flatMap((channel) => preparedChannel(channel, refused)),
    templates: draft.templates,
    tellsByMonitor: draft.tellsByMonitor,
    globalMonitor: preparedSettings(draft.globalMonitor, monitorSettings, { text: "For all monitors" }, refused),
    globalAgent: preparedSettings(draft.globalAgent, agentSettings, { text: "For all agents" }, refused),
    groups: draft.groups,
    refused,
  };
}

/** As base64, so that JSON can carry it; Brotli with a large window makes up for the third that this adds. */
const zip = (lines: readonly unknown[]): string =>
  brotliCompressSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
  }).toString("base64");

/** Its dependencies, by the lines of the others. Agents register again, so files name none. */
function readRefs(given: unknown, lineOfKey: ReadonlyMap<number, number>) {
  const named = Array.isArray(given) ? (given as { type?: unknown; id?: unknown }[]) : [];
  const refs = named.flatMap((ref) => {
    const line = ref?.type === "monitor" && typeof ref.id === "number" ? lineOfKey.get(ref.id) : undefined;
    return line === undefined ? [] : [{ type: "monitor" as const, id: line }];
  });
  return { refs: refs.slice(0, 10), lost: refs.length < named.length };
}

function preparedMonitor(
  { notes, settings: given }: DraftMonitor,
  input: MonitorInput,
  refused: RefusedObject[],
): PreparedMonitor {
  const { name, paused, tags } = input;
  const check = { type: input.type, ...splitInput(input).check } as Parameters<typeof targetOf>[0];
  const settings = preparedSettings(given, monitorSettings, name, refused);
  return { name, target: targetOf(check), paused, tags, notes, settings };
}

/** Settings that the notifier would accept with any channels; null if there are none. */
function preparedSettings(
  given: DraftSettings | null,
  schema: typeof monitorSettings | typeof agentSettings,
  name: string | TranslatableText,
  refused: RefusedObject[],
): PreparedSettings | null {
  if (given === null) return null;
  const { more, ...settings } = given;
  const parsed = schema.safeParse(more);
  if (parsed.success) return { ...settings, more: JSON.stringify(more) };
  refused.push({ type: "settings", name, why: whyOf(faultsOf(parsed.error.issues)) });
  return null;
}

function preparedChannel({ missing, config, ...channel }: DraftChannel, refused: RefusedObject[]): PreparedChannel[] {
  const parsed = channelConfig(channel.type).safeParse(config);
  if (parsed.success) {
    const lost: TranslatableText[] =
      missing.length === 0
        ? []
        : [{ text: "Without {secrets}: enter it anew", params: { secrets: missing.join(", ").slice(0, 200) } }];
    return [{ ...channel, config, notes: [...channel.notes, ...lost] }];
  }
  if (missing.length > 0) return [{ ...channel, config: null }];
  refused.push({ type: "channel", name: channel.name, why: whyOf(faultsOf(parsed.error.issues)) });
  return [];
}

/** The first fault, with the field that has it. */
function whyOf([first]: readonly FieldFault[]): TranslatableText {
  if (first === undefined) return { text: "This value is not valid" };
  const fault: TranslatableText = { text: first.message, params: { ...first.params } };
  if (first.path === "") return fault;
  return { text: "{field}: {fault}", params: { field: first.path.slice(0, 80), fault } };
}

function partsOf(lines: readonly Record<string, unknown>[]): Record<string, unknown>[][] {
  const parts: Record<string, unknown>[][] = [];
  let bytes = 0;
  for (const line of lines) {
    const last = parts.at(-1);
    const lineBytes = Buffer.byteLength(JSON.stringify(line));
    const fits = last !== undefined && last.length < partLines && bytes + lineBytes <= partBytes;
    if (fits) last.push(line);
    else parts.push([line]);
    bytes = (fits ? bytes : 0) + lineBytes;
  }
  return parts;
}
