import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { Button } from "../../../ui/button.tsx";
import { CheckIcon, CrossIcon, RefreshIcon } from "../../../ui/icons.tsx";
import { useTestHostMutation } from "../pages/api.ts";

/** `reason`: why the host does not serve this page. */
type HostCheck = { isHere: boolean; reason: string };

/**
 * Checks for each saved host of a page whether it resolves, has a valid certificate and serves pages of Sonde, from a
 * probe runner. Hosts are checked one after the other when the list is shown.
 */
export function HostChecks({ hosts }: { hosts: readonly string[] }) {
  const { t } = useTranslation();
  const [found, setFound] = useState<ReadonlyMap<string, HostCheck>>(new Map());
  const [round, setRound] = useState(0);
  const look = useHostCheck();
  const names = hosts.join("\n");
  useEffect(() => {
    let isOver = false;
    void (async () => {
      setFound(new Map());
      for (const host of names.split("\n")) {
        const one = await look(host);
        if (isOver) return;
        setFound((before) => new Map(before).set(host, one));
      }
    })();
    return () => {
      isOver = true;
    };
  }, [names, look, round]);
  return (
    <div className="flex flex-col gap-2">
      <ul aria-label={t("statusPage.access.hostChecks")} className="flex flex-col gap-1">
        {hosts.map((host) => (
          <li key={host} className="flex flex-wrap items-center gap-x-2 text-[13px]">
            <HostCheckIcon found={found.get(host)} />
            <span className="font-mono">{host}</span>
            <span className="text-muted">{wordsOf(found.get(host))}</span>
          </li>
        ))}
      </ul>
      <Button
        size="sm"
        className="self-start"
        disabled={found.size < hosts.length}
        onClick={() => setRound((before) => before + 1)}
      >
        <RefreshIcon />
        {t("statusPage.access.checkHosts")}
      </Button>
    </div>
  );

  function wordsOf(one: HostCheck | undefined): string {
    if (one === undefined) return t("statusPage.access.hostChecking");
    return one.isHere ? t("statusPage.access.hostIsHere") : one.reason;
  }
}

function HostCheckIcon({ found }: { found: HostCheck | undefined }) {
  if (found === undefined) return null;
  return found.isHere ? <CheckIcon className="text-up-ink" /> : <CrossIcon className="text-down-ink" />;
}

function useHostCheck() {
  const { t } = useTranslation();
  const [test] = useTestHostMutation();
  return useCallback(
    async (host: string): Promise<HostCheck> => {
      try {
        const { result } = await test(host).unwrap();
        const isElsewhere = result.error?.kind === "assertion" || result.error?.kind === "status";
        return {
          isHere: result.status === "up",
          reason: isElsewhere ? t("statusPage.access.hostIsElsewhere") : (result.error?.message ?? ""),
        };
      } catch (error) {
        // The server may explain why the check could not run.
        return { isHere: false, reason: fieldErrorsOf(error)[0]?.message ?? errorText(error, "checkFailed") };
      }
    },
    [test, t],
  );
}
