import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { Button } from "../../../ui/button.tsx";
import { CheckIcon, CrossIcon, RefreshIcon } from "../../../ui/icons.tsx";
import { useTestHostMutation } from "../pages/api.ts";

/** Whether a host leads here; `reason`: why not. */
type Found = { isHere: boolean; reason: string };

/**
 * Whether each saved host of a page resolves, has a certificate that is valid, and leads to pages of Sonde, as a probe runner
 * sees it: they are looked at one after the other when they are shown.
 */
export function HostChecks({ hosts }: { hosts: readonly string[] }) {
  const { t } = useTranslation();
  const [found, setFound] = useState<ReadonlyMap<string, Found>>(new Map());
  const [round, setRound] = useState(0);
  const look = useLook();
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
            <HostFound found={found.get(host)} />
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

  function wordsOf(one: Found | undefined): string {
    if (one === undefined) return t("statusPage.access.hostChecking");
    return one.isHere ? t("statusPage.access.hostIsHere") : one.reason;
  }
}

function HostFound({ found }: { found: Found | undefined }) {
  if (found === undefined) return null;
  return found.isHere ? <CheckIcon className="text-up-ink" /> : <CrossIcon className="text-down-ink" />;
}

function useLook() {
  const { t } = useTranslation();
  const [test] = useTestHostMutation();
  return useCallback(
    async (host: string): Promise<Found> => {
      try {
        const { result } = await test(host).unwrap();
        const isElsewhere = result.error?.kind === "assertion" || result.error?.kind === "status";
        return {
          isHere: result.status === "up",
          reason: isElsewhere ? t("statusPage.access.hostIsElsewhere") : (result.error?.message ?? ""),
        };
      } catch (error) {
        // Why none could be run, where the server says so.
        return { isHere: false, reason: fieldErrorsOf(error)[0]?.message ?? errorText(error, "checkFailed") };
      }
    },
    [test, t],
  );
}
