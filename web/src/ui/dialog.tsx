import { Close, Content, Description, Portal, Root, Title } from "radix-ui/dialog";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";
import { CrossIcon } from "./icons.tsx";

type DialogProps = {
  open?: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
};

/** Traps the focus, which starts at `data-first-focus` if there is one, and returns it on close. CSS (`data-scroll-lock`) locks the page, not an inline style. */
export function Dialog({ open = true, onClose, title, description, children, footer }: DialogProps) {
  const { t } = useTranslation();
  // Radix returns the focus only to its own trigger. These dialogs can be opened from anywhere.
  const opener = useRef<Element | null>(null);
  const content = useRef<HTMLDivElement>(null);
  return (
    <Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Portal>
        <div data-scroll-lock className="fade-in fixed inset-0 z-40 bg-shade" />
        <Content
          ref={content}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            const first = content.current?.querySelector<HTMLElement>("[data-first-focus]");
            if (first == null) return;
            event.preventDefault();
            first.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // The opener may have been deleted. Then the page gets the focus.
            const focusTarget =
              opener.current?.isConnected === true ? opener.current : document.getElementById("content");
            if (focusTarget instanceof HTMLElement) focusTarget.focus();
          }}
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          className="fade-in fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 flex-col gap-3 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-lifted"
        >
          <div className="flex items-start justify-between gap-4">
            <Title className="text-base font-semibold">{title}</Title>
            <Close asChild>
              <Button variant="ghost" size="icon" aria-label={t("common.close")} className="-mt-1 -mr-1.5">
                <CrossIcon />
              </Button>
            </Close>
          </div>
          {description !== undefined && <Description className="text-muted">{description}</Description>}
          {children}
          {footer !== undefined && <div className="mt-2 flex flex-wrap justify-end gap-2">{footer}</div>}
        </Content>
      </Portal>
    </Root>
  );
}

type ConfirmDialogProps = {
  open?: boolean;
  onClose: () => void;
  title: ReactNode;
  description: ReactNode;
  confirmLabel: ReactNode;
  savingLabel?: ReactNode;
  /** Content to fill in before confirming. */
  children?: ReactNode;
  isReady?: boolean;
  /** Resolves when done, which closes the dialog, or rejects with an Error whose message is shown. */
  onConfirm: () => Promise<void>;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open = true, onClose, onConfirm, children, isReady = true, ...words } = props;
  const { t } = useTranslation();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function confirm() {
    setSaving(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : t("errors.unknown"));
    } finally {
      setSaving(false);
    }
  }
  function close() {
    if (saving) return;
    setError(null);
    onClose();
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title={words.title}
      description={words.description}
      footer={
        <>
          <Button onClick={close} disabled={saving}>
            {t("common.cancel")}
          </Button>
          <Button
            variant="danger"
            disabled={!isReady}
            onClick={() => void confirm()}
            saving={saving}
            savingLabel={words.savingLabel}
          >
            {words.confirmLabel}
          </Button>
        </>
      }
    >
      {error !== null && <Alert kind="error">{error}</Alert>}
      {children}
    </Dialog>
  );
}
