import { Component, type ErrorInfo, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useOnline } from "../lib/hooks.ts";
import { Button } from "../ui/button.tsx";
import { OfflineIcon, WarnIcon } from "../ui/icons.tsx";
import { EmptyState } from "../ui/states.tsx";
import { apiBase } from "./api.ts";
import { useAppSelector } from "./hooks.ts";

type Props = {
  children: ReactNode;
  resetKey: string;
};
/** Reset key for which an error was caught. Empty until the render after the error sets it. */
type State = { failedKey: string | null };

/** Keeps the navigation usable if a screen or its chunk fails. React supports only classes for this. */
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
 * Shown if a screen crashed or its chunk could not be loaded: the browser is offline, or the server is unreachable or
 * has a new version. The page reloads when the server is reachable.
 */
export function Crash({ reload = () => location.reload() }: { reload?: () => void }) {
  const { t } = useTranslation();
  const isOnline = useOnline();
  const isUnavailable = useServerAway();
  const state = !isOnline ? "offline" : isUnavailable ? "away" : "broken";
  const before = useRef(state);
  useEffect(() => {
    if (before.current !== "broken" && state === "broken") reload();
    before.current = state;
  }, [state, reload]);
  return (
    <EmptyState
      icon={state === "broken" ? <WarnIcon /> : <OfflineIcon />}
      title={<span role="alert">{t(`crash.${state}.title`)}</span>}
      action={
        <Button variant="primary" onClick={() => reload()}>
          {t("crash.reload")}
        </Button>
      }
    >
      {t(`crash.${state}.text`)}
    </EmptyState>
  );
}

const pollMs = 3000;

function useServerAway(): boolean {
  const isLost = useAppSelector((state) => state.live.status === "lost");
  const [isSilent, setSilent] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = new AbortController();
    async function ask() {
      const answers = await fetch(`${apiBase}/config`, { signal: stop.signal }).then(
        ({ status }) => status < 500,
        () => false,
      );
      if (stop.signal.aborted) return;
      setSilent(!answers);
      if (!answers) timer = setTimeout(() => void ask(), pollMs);
    }
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, []);
  return isLost || isSilent;
}
