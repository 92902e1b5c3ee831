import { useEffect, useRef, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { OfflineIcon, WarnIcon } from "../ui/icons.tsx";
import { EmptyState } from "../ui/states.tsx";
import { useAppSelector } from "./hooks.ts";

/**
 * What stands where a screen broke, or where its chunk could not be loaded: the server is out of reach, or has a new
 * version. Once it can be reached again the page is loaded by itself.
 */
export function Crash({ reload = () => location.reload() }: { reload?: () => void }) {
  const { t } = useTranslation();
  const isLost = useAppSelector((state) => state.live.status === "lost");
  const isOnline = useSyncExternalStore(followOnline, () => navigator.onLine);
  const isOffline = isLost || !isOnline;
  const wasOffline = useRef(isOffline);
  useEffect(() => {
    if (wasOffline.current && !isOffline) reload();
    wasOffline.current = isOffline;
  }, [isOffline, reload]);
  return (
    <EmptyState
      icon={isOffline ? <OfflineIcon /> : <WarnIcon />}
      title={<span role="alert">{t(isOffline ? "crash.offline" : "crash.title")}</span>}
      action={
        <Button variant="primary" onClick={() => reload()}>
          {t("crash.reload")}
        </Button>
      }
    >
      {t(isOffline ? "errors.offline" : "crash.text")}
    </EmptyState>
  );
}

function followOnline(listener: () => void) {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}
