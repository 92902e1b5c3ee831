import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";

/** Copies a text and says so in place. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      // Without the right to the clipboard the text stays where it can be selected.
      setCopied(false);
    }
  }
  return (
    <Button size="sm" variant="ghost" onClick={() => void copy()} aria-label={label ?? t("common.copy")}>
      {copied ? <CheckIcon /> : <CopyIcon />}
      <span aria-live="polite">{copied ? t("common.copied") : (label ?? t("common.copy"))}</span>
    </Button>
  );
}
