import { hasNoResponder, ranOutOfTime } from "@sonde/kit/bus/rpc";
import type { SettingScope } from "@sonde/proto/http/notifications/settings";
import type { HandlerBase } from "../route.ts";
import { timeouts } from "../services.ts";
import { toRequest } from "./known.ts";
import type { DecidedImport, PreparedImport } from "./shapes.ts";

type Asking = Pick<HandlerBase, "services" | "ask" | "log">;

/**
 * Imports a decided file, all or nothing. First the notifier writes channels, templates and settings in one
 * transaction; the settings name monitors by reserved ids, and have no effect while those do not exist. Then monitors
 * creates all monitors in one transaction, which completes the import. If that fails, the notifier's writes are undone.
 */
export async function carryOut(input: Asking, prepared: PreparedImport, decided: DecidedImport): Promise<void> {
  const { services, ask } = input;
  const { lines, existing } = decided;
  const reserved =
    lines.length === 0 ? [] : (await services.monitors.reserveMonitorIds({ count: lines.length }, ask)).ids;
  const ids = prepared.monitors.map((_monitor, at) => existing.get(at + 1) ?? 0);
  lines.forEach((line, at) => (ids[line - 1] = reserved[at] ?? 0));

  const settings = decided.settings.map(({ scope, line, value }) => ({ scope, targetId: ids[line - 1] ?? 0, value }));
  const request = {
    channels: decided.channels.map(toRequest),
    templates: decided.templates.map(({ key: _key, ...words }) => words),
    settings,
  };
  const isEmpty = request.channels.length + request.templates.length + settings.length === 0;
  const made = isEmpty
    ? null
    : await services.notifications.importNotifications(request, { ...ask, timeoutMs: timeouts.importMs });
  if (lines.length === 0) return;
  try {
    await services.monitors.importMonitors(
      { zippedLines: prepared.zipped, ids, lines },
      { ...ask, timeoutMs: timeouts.importMs },
    );
  } catch (error) {
    if (ranOutOfTime(error) && (await isThere(input, reserved[0] ?? 0))) return;
    if (made !== null) await undo(input, { channelIds: made.channelIds, templateIds: made.templateIds, settings });
    throw error;
  }
}

/** Monitors that are created in one transaction are all there when the first one is. */
async function isThere({ services, ask }: Asking, id: number): Promise<boolean> {
  const { total } = await services.monitors.listMonitors({ ids: [id], pageSize: 1, compact: true }, ask);
  return total > 0;
}

const tries = 3;

/**
 * Undoes the notifier's writes. If it is unavailable by now, channels and templates stay: a second import uses them.
 */
async function undo(
  { services, ask, log }: Asking,
  request: { channelIds: number[]; templateIds: number[]; settings: { scope: SettingScope; targetId: number }[] },
): Promise<void> {
  for (let left = tries; left > 0; left -= 1) {
    try {
      await services.notifications.undoImport(request, { ...ask, timeoutMs: timeouts.importMs });
      return;
    } catch (error) {
      const isLast = left === 1 || !(hasNoResponder(error) || ranOutOfTime(error));
      if (isLast)
        return log.error({ err: error }, "channels and settings of an import that failed were not taken back");
    }
  }
}
