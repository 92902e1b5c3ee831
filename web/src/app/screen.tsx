import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router-dom";
import { errorText, type Fallback, statusOf } from "./errors.ts";
import { Alert } from "../ui/alert.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ChevronLeftIcon } from "../ui/icons.tsx";
import { EmptyState, ErrorState, Skeleton } from "../ui/states.tsx";

export type QueryState<Data = unknown> = {
  data?: Data | undefined;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
};

/** True for a valid id. Invalid ids from a path or query are not requested. */
export function isId(id: number): boolean {
  return Number.isInteger(id) && id > 0;
}

export function isMissing(id: number, error: unknown): boolean {
  return !isId(id) || statusOf(error) === 404;
}

type QueryErrorProps = { query: QueryState; fallback: Fallback; className?: string };

export function QueryError({ query: { error, isFetching, refetch }, fallback, className }: QueryErrorProps) {
  return (
    <ErrorState
      message={errorText(error, fallback)}
      onRetry={() => void refetch()}
      retrying={isFetching}
      className={className}
    />
  );
}

type LoadedProps<Data> = {
  query: QueryState<Data>;
  fallback?: Fallback;
  placeholder?: ReactNode;
  /** Shown above the error, which then has its own card. `null` draws the error on the surrounding card. */
  header?: ReactNode;
  children: (data: Data) => ReactNode;
};

export function Loaded<Data>(props: LoadedProps<Data>) {
  const { query, fallback = "fetchData", placeholder = <Skeleton className="h-96 w-full" />, header, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.error === undefined) return placeholder;
  if (header === null) return <QueryError query={query} fallback={fallback} />;
  return (
    <>
      {header}
      <Card>
        <QueryError query={query} fallback={fallback} />
      </Card>
    </>
  );
}

type MissingProps = { icon: ReactNode; title: string; back: string; backTo: string; children?: ReactNode };

export function Missing({ icon, title, back, backTo, children }: MissingProps) {
  return (
    <Card>
      <EmptyState
        icon={icon}
        title={<span role="alert">{title}</span>}
        action={<ButtonLink to={backTo}>{back}</ButtonLink>}
      >
        {children}
      </EmptyState>
    </Card>
  );
}

export function DetailPlaceholder({ last = "h-96" }: { last?: string }) {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t("common.loading")} className="flex flex-col gap-4">
      <Skeleton className="h-16 w-2/3" />
      <Skeleton className="h-24 w-full" />
      <Skeleton className="h-96 w-full" />
      <Skeleton className={`${last} w-full`} />
    </div>
  );
}

export function BackLink({ to, label }: { to: string; label: string }) {
  return (
    <Link to={to} className="mb-2 inline-flex min-h-6 items-center gap-1 text-[13px] text-muted hover:text-ink">
      <ChevronLeftIcon className="size-3.5" />
      {label}
    </Link>
  );
}

export function Notice({ text }: { text: string | null | undefined }) {
  if (text == null) return null;
  return (
    <Alert key={text} kind="success">
      {text}
    </Alert>
  );
}

/**
 * Message of the previous page (`state.notice` of a navigation), such as 'Monitor created'. Removed from the history at
 * once, so that a reload or going back does not repeat it.
 */
export function useNotice(): string | undefined {
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  const given = (state as { notice?: string } | null)?.notice;
  const [notice] = useState(given);
  useEffect(() => {
    if (given === undefined) return;
    const { notice: _shown, ...rest } = state as { notice?: string };
    void navigate(pathname + search + hash, { replace: true, state: rest });
  }, [given, state, navigate, pathname, search, hash]);
  return notice;
}
