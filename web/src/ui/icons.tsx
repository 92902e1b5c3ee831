import type { ReactNode } from "react";

/** Line icons on a 16-unit grid, in the colour of the text around them. Decoration: the word stands beside them. */
export function icon(drawing: ReactNode) {
  return function Icon({ className = "size-4" }: { className?: string }) {
    return (
      <svg
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
        className={`shrink-0 ${className}`}
      >
        {drawing}
      </svg>
    );
  };
}

export const CheckIcon = icon(<path d="m3.2 8.4 3.1 3.1 6.5-7" />);
export const CrossIcon = icon(<path d="m4 4 8 8m0-8-8 8" />);
export const PauseIcon = icon(<path d="M5.6 3.6v8.8M10.4 3.6v8.8" />);
export const PlayIcon = icon(<path d="M5 3.4v9.2l7.4-4.6z" />);
export const PendingIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.6" />
    <path d="M8 5v3.2l2 1.3" />
  </>,
);
export const DashIcon = icon(<path d="M3.5 8h2m2 0h2m2 0h1" />);
export const WarnIcon = icon(
  <>
    <path d="M8 2.4 14.2 13H1.8z" />
    <path d="M8 6.6v2.8M8 11.3v.1" />
  </>,
);
export const InfoIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.8" />
    <path d="M8 7.4v3.4M8 5.2v.1" />
  </>,
);
export const PlusIcon = icon(<path d="M8 3.2v9.6M3.2 8h9.6" />);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.4" />
    <path d="m10.4 10.4 3 3" />
  </>,
);
export const ChevronDownIcon = icon(<path d="m4 6.2 4 4 4-4" />);
export const ChevronLeftIcon = icon(<path d="m9.8 4-4 4 4 4" />);
export const ChevronRightIcon = icon(<path d="m6.2 4 4 4-4 4" />);
export const ArrowUpIcon = icon(<path d="M8 12.8V3.4M4.2 7 8 3.2 11.8 7" />);
export const ArrowDownIcon = icon(<path d="M8 3.2v9.4M4.2 9 8 12.8 11.8 9" />);
export const ArrowRightIcon = icon(<path d="M3 8h9.6M9 4.4 12.6 8 9 11.6" />);
export const SortIcon = icon(<path d="m5 6.4 3-3 3 3M5 9.6l3 3 3-3" />);
export const RefreshIcon = icon(<path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.6v2.6h-2.6" />);
export const TrashIcon = icon(
  <path d="M2.8 4.4h10.4M6.4 4.4V2.8h3.2v1.6M4.2 4.4l.6 8.8h6.4l.6-8.8M6.8 7v3.6M9.2 7v3.6" />,
);
export const EditIcon = icon(<path d="m10.4 3.2 2.4 2.4-7 7-3 .6.6-3zM9 4.6 11.4 7" />);
export const EyeIcon = icon(
  <>
    <path d="M1.6 8S4 3.8 8 3.8 14.4 8 14.4 8 12 12.2 8 12.2 1.6 8 1.6 8z" />
    <circle cx="8" cy="8" r="1.9" />
  </>,
);
export const CopyIcon = icon(
  <>
    <rect x="5.4" y="5.4" width="7.8" height="7.8" rx="1.4" />
    <path d="M10.6 5.2V2.8H2.8v7.8h2.4" />
  </>,
);
export const GlobeIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.8" />
    <path d="M2.4 8h11.2M8 2.2c1.8 1.7 2.5 3.6 2.5 5.8S9.8 12.1 8 13.8C6.2 12.1 5.5 10.2 5.5 8S6.2 3.9 8 2.2z" />
  </>,
);
export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="2.8" />
    <path d="M8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M3.5 12.5l.8-.8M11.7 4.3l.8-.8" />
  </>,
);
export const MoonIcon = icon(<path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z" />);
export const ScreenIcon = icon(
  <>
    <rect x="2" y="3" width="12" height="8" rx="1.4" />
    <path d="M6 13.4h4" />
  </>,
);
export const MenuIcon = icon(<path d="M2.4 4.4h11.2M2.4 8h11.2M2.4 11.6h11.2" />);
export const MoreIcon = icon(<path d="M3.5 8h.1M8 8h.1M12.5 8h.1" />);
export const UsersIcon = icon(
  <>
    <circle cx="6" cy="5.6" r="2.4" />
    <path d="M1.8 13c.3-2.6 1.9-3.9 4.2-3.9s3.9 1.3 4.2 3.9M10.6 3.5a2.3 2.3 0 0 1 0 4.3M12 9.6c1.3.5 2 1.6 2.2 3.4" />
  </>,
);
export const UserIcon = icon(
  <>
    <circle cx="8" cy="5.4" r="2.6" />
    <path d="M3 13.4c.4-2.7 2.2-4 5-4s4.6 1.3 5 4" />
  </>,
);
export const LogoutIcon = icon(<path d="M6.4 2.8H3.2v10.4h3.2M10 5.2 12.8 8 10 10.8M12.4 8H6.4" />);
export const BellIcon = icon(<path d="M4 11.2V7a4 4 0 0 1 8 0v4.2l1.2 1H2.8zM6.6 14h2.8" />);
export const PulseIcon = icon(<path d="M1.6 8.4h2.8l1.8-5 3.2 9.4 1.9-4.4h3.1" />);
export const ServerIcon = icon(
  <>
    <rect x="2.4" y="2.8" width="11.2" height="4.4" rx="1.2" />
    <rect x="2.4" y="8.8" width="11.2" height="4.4" rx="1.2" />
    <path d="M5 5h.1M5 11h.1" />
  </>,
);
export const GridIcon = icon(<path d="M2.8 2.8h4v4h-4zM9.2 2.8h4v4h-4zM2.8 9.2h4v4h-4zM9.2 9.2h4v4h-4z" />);
export const PageIcon = icon(<path d="M3.6 2.4h8.8v11.2H3.6zM6 5.6h4M6 8h4M6 10.4h2" />);
export const CodeIcon = icon(<path d="M5.2 4.4 1.8 8l3.4 3.6M10.8 4.4 14.2 8l-3.4 3.6M9.2 3 6.8 13" />);
export const LockIcon = icon(
  <>
    <rect x="3.4" y="7" width="9.2" height="6.4" rx="1.4" />
    <path d="M5.4 7V5.2a2.6 2.6 0 0 1 5.2 0V7" />
  </>,
);
export const OfflineIcon = icon(
  <path d="M2 6.2a9 9 0 0 1 3.4-2M14 6.2a9 9 0 0 0-4.6-2.5M4.4 8.9a5.5 5.5 0 0 1 2-1.3M8 12v.1M2.6 2.6l10.8 10.8" />,
);
export const ExternalIcon = icon(<path d="M9 2.8h4.2V7M13 3 7.6 8.4M6.6 3.6H3v9.4h9.4V9.4" />);
export const PlugIcon = icon(<path d="M5.6 2v3.2M10.4 2v3.2M3.6 5.2h8.8v2.2a4.4 4.4 0 0 1-8.8 0zM8 11.8V14" />);
export const SignpostIcon = icon(<path d="M8 1.8v1.4M8 7.8v6.4M3 3.2h7.6L13 5.5l-2.4 2.3H3z" />);
export const CertificateIcon = icon(
  <>
    <path d="M8 1.8 13 3.7v4c0 3.1-2 5.4-5 6.5-3-1.1-5-3.4-5-6.5v-4z" />
    <path d="m5.8 7.8 1.6 1.6 2.9-3" />
  </>,
);
