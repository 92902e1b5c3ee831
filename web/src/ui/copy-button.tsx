import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";

/** Browsers deny the clipboard to pages over plain HTTP. There a copy event sets the text. */
async function write(text: string): Promise<void> {
  if (window.isSecureContext) return await navigator.clipboard.writeText(text);
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", onCopy, { once: true });
  const copied = document.execCommand("copy");
  document.removeEventListener("copy", onCopy);
  if (!copied) throw new Error("Copying to the clipboard failed");
}

type CopyButtonProps = {
  text: string;
  label?: string;
  /** Describes the copied text to screen readers. */
  about?: string;
  disabled?: boolean;
};

export function CopyButton({ text, label, about, disabled = false }: CopyButtonProps) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await write(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      // The user can still select the text.
      setCopied(false);
    }
  }
  return (
    <Button size="sm" variant="ghost" disabled={disabled} onClick={() => void copy()}>
      {copied ? <CheckIcon /> : <CopyIcon />}
      {/* As wide as the longer word, so that nothing moves. */}
      <span aria-live="polite" className={label === undefined ? "min-w-[2.9rem] text-left" : undefined}>
        {copied ? t("common.copied") : (label ?? t("common.copy"))}
      </span>
      {about !== undefined && <span className="sr-only">: {about}</span>}
    </Button>
  );
}
