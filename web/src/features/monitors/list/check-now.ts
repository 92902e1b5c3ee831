import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { toast } from "../../../ui/alert.tsx";
import { useCheckMonitorMutation } from "../api.ts";

/** The server's limit of parallel manual checks for one user. */
export const maxChecked = 10;

export function useCheckNow(): [(monitors: readonly Monitor[]) => Promise<void>, boolean] {
  const { t } = useTranslation();
  const [check] = useCheckMonitorMutation();
  const [running, setRunning] = useState(0);
  async function checkNow(monitors: readonly Monitor[]): Promise<void> {
    setRunning((count) => count + 1);
    const answers = await Promise.all(
      monitors
        .slice(0, maxChecked)
        .map(async ({ id, name, timeout = 0, retries = 0 }) => ({ name, ...(await check({ id, timeout, retries })) })),
    );
    setRunning((count) => count - 1);
    const failures = answers.flatMap(({ name, error }) => {
      if (error === undefined) return [];
      const reason = errorText(error, "checkFailed");
      return monitors.length === 1 ? reason : t("monitors.bulk.failedNames", { names: name, reason });
    });
    if (failures.length > 0) toast("error", failures.join(" · "));
    const results = answers.flatMap(({ data }) => data?.result ?? []);
    if (results.length === 0) return;
    const up = results.filter(({ status }) => status === "up").length;
    const [only] = monitors;
    const words =
      monitors.length === 1 && only !== undefined
        ? t(up === 1 ? "monitorBulk.checked.up" : "monitorBulk.checked.down", { name: only.name })
        : t("monitorBulk.checked.many", { count: results.length, up, down: results.length - up });
    toast(up === results.length ? "success" : "error", words);
  }
  return [checkNow, running > 0];
}
