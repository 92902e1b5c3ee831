import { Component, type ErrorInfo, type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { OfflineIcon, WarnIcon } from "../ui/icons.tsx";
import { EmptyState } from "../ui/states.tsx";
import { useAppSelector } from "./hooks.ts";

type Props = {
  children: ReactNode;
  /** When it changes, the children are rendered again. */
  resetKey: string;
};
/** The reset key under which an error was caught; empty until the render after the error sets it. */
type State = { failedKey: string | null };

/** Keeps the navigation in use where a screen fails or its chunk is gone. React has only classes for this. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failedKey: null };

  static getDerivedStateFromError(): State {
    return { failedKey: "" };
  }

  static getDerivedStateFromProps({ resetKey }: Props, { failedKey }: State): State | null {
    if (failedKey === "") return { failedKey: resetKey };
    return failedKey !== null && failedKey !== resetKey ? { failedKey: null } : null;
  }

  override componentDidCatch(error: Error, { componentStack }: ErrorInfo) {
    console.error(error, componentStack);
  }

  override render() {
    return this.state.failedKey === null ? this.props.children : <Crash />;
  }
}

/**
 * Shown where a screen broke, or where its chunk could not be loaded: the server is out of reach, or has a new
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
