import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button, Spinner } from "./button.tsx";
import { cx } from "./cx.ts";
import { RefreshIcon, WarnIcon } from "./icons.tsx";
import { Lines } from "./alert.tsx";

type EmptyStateProps = {
  icon?: ReactNode;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
};

export function EmptyState({ icon, title, children, action, className }: EmptyStateProps) {
  return (
    <div className={cx("flex flex-col items-center gap-2 px-6 py-12 text-center", className)}>
      {icon !== undefined && <div className="mb-1 text-faint [&>svg]:size-8">{icon}</div>}
      <p className="text-[15px] font-semibold">{title}</p>
      {children !== undefined && <div className="max-w-md text-muted">{children}</div>}
      {action !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

export function ErrorState({
  message,
  onRetry,
  retrying = false,
  className,
}: {
  message: ReactNode;
  onRetry?: () => void;
  retrying?: boolean;
  className?: string;
}) {
  const { t } = useTranslation();
  return (
    <div role="alert" className={cx("flex flex-col items-center gap-3 px-6 py-10 text-center", className)}>
      <WarnIcon className="size-7 text-down" />
      <p className="max-w-md text-down-ink">{typeof message === "string" ? <Lines text={message} /> : message}</p>
      {onRetry !== undefined && (
        <Button onClick={onRetry} saving={retrying} savingLabel={t("common.retrying")}>
          <RefreshIcon />
          {t("common.retry")}
        </Button>
      )}
    </div>
  );
}

/** A grey placeholder of the data's size. While there is one, the page is as high as the screen (index.css). */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      data-loading
      className={cx("block animate-[shimmer_1.4s_ease-in-out_infinite] rounded-sm bg-line/80", className)}
    />
  );
}

export function LoadingText() {
  const { t } = useTranslation();
  return (
    <p role="status" data-loading className="flex items-start justify-center gap-2 pt-24 text-muted">
      <Spinner />
      {t("common.loading")}
    </p>
  );
}
