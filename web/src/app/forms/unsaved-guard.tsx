import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker } from "react-router-dom";
import { paths } from "../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** Asks before unsaved input is lost, with a dialog in the app or the browser's own prompt. */
export function UnsavedGuard({ unsaved }: { unsaved: boolean }) {
  const { t } = useTranslation();
  const blocker = useBlocker(({ currentLocation: from, nextLocation: to, historyAction }) => {
    // After the session has ended nothing could be saved.
    if (!unsaved || to.pathname === paths.login) return false;
    // Tabs are in the query too. A replaced query is only the page's own state.
    return to.pathname !== from.pathname || (to.search !== from.search && historyAction !== "REPLACE");
  });
  useEffect(() => {
    if (!unsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [unsaved]);

  return (
    <Dialog
      open={blocker.state === "blocked"}
      onClose={() => blocker.reset?.()}
      title={t("common.leave.title")}
      description={t("common.leave.text")}
      footer={
        <>
          <Button onClick={() => blocker.reset?.()}>{t("common.leave.stay")}</Button>
          <Button variant="danger" onClick={() => blocker.proceed?.()}>
            {t("common.leave.leave")}
          </Button>
        </>
      }
    />
  );
}

/** Tracks which forms of a page have unsaved input, for one common guard. */
export function useUnsavedParts<Part extends string>() {
  const [parts, setParts] = useState<readonly Part[]>([]);
  const report = useCallback((part: Part, unsaved: boolean) => {
    setParts((before) => {
      if (before.includes(part) === unsaved) return before;
      return unsaved ? [...before, part] : before.filter((each) => each !== part);
    });
  }, []);
  return { unsaved: parts.length > 0, report };
}
