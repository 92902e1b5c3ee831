import * as lucide from "lucide-react";
import { lazy, Suspense } from "react";
import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { icon } from "./icons/icon.tsx";

export const CheckIcon = icon(lucide.Check);
export const CrossIcon = icon(lucide.X);
export const PauseIcon = icon(lucide.Pause);
export const PlayIcon = icon(lucide.Play);
export const PendingIcon = icon(lucide.Clock);
export const DashIcon = icon(lucide.Minus);
export const WarnIcon = icon(lucide.TriangleAlert);
export const InfoIcon = icon(lucide.Info);
export const PlusIcon = icon(lucide.Plus);
export const SearchIcon = icon(lucide.Search);
export const ChevronDownIcon = icon(lucide.ChevronDown);
export const ChevronLeftIcon = icon(lucide.ChevronLeft);
export const ChevronRightIcon = icon(lucide.ChevronRight);
export const ArrowUpIcon = icon(lucide.ArrowUp);
export const ArrowDownIcon = icon(lucide.ArrowDown);
export const ArrowRightIcon = icon(lucide.ArrowRight);
export const TrendUpIcon = icon(lucide.TrendingUp);
export const GroupIcon = icon(lucide.Boxes);
export const SortIcon = icon(lucide.ChevronsUpDown);
export const RefreshIcon = icon(lucide.RotateCw);
export const TrashIcon = icon(lucide.Trash2);
export const EditIcon = icon(lucide.Pencil);
export const EyeIcon = icon(lucide.Eye);
export const CopyIcon = icon(lucide.Copy);
export const GlobeIcon = icon(lucide.Globe);
export const SunIcon = icon(lucide.Sun);
export const MoonIcon = icon(lucide.Moon);
export const ScreenIcon = icon(lucide.Monitor);
export const MenuIcon = icon(lucide.Menu);
export const UsersIcon = icon(lucide.Users);
export const UserIcon = icon(lucide.User);
export const LogoutIcon = icon(lucide.LogOut);
export const BellIcon = icon(lucide.Bell);
export const PulseIcon = icon(lucide.Activity);
export const ServerIcon = icon(lucide.Server);
export const GridIcon = icon(lucide.LayoutGrid);
export const PageIcon = icon(lucide.FileText);
export const CodeIcon = icon(lucide.CodeXml);
export const LockIcon = icon(lucide.Lock);
export const MailIcon = icon(lucide.Mail);
export const OfflineIcon = icon(lucide.WifiOff);
export const ExternalIcon = icon(lucide.ExternalLink);
export const PlugIcon = icon(lucide.Plug);
export const SignpostIcon = icon(lucide.Signpost);
export const CertificateIcon = icon(lucide.ShieldCheck);
export const WrenchIcon = icon(lucide.Wrench);
export const GripIcon = icon(lucide.GripVertical);
export const MoreIcon = icon(lucide.Ellipsis);
export const TagIcon = icon(lucide.Tag);
export const ColumnsIcon = icon(lucide.Columns3);
export const BookmarkIcon = icon(lucide.Bookmark);
export const SilentIcon = icon(lucide.BellOff);
export const SnoozeIcon = icon(lucide.AlarmClock);
export const AnnounceIcon = icon(lucide.Megaphone);
export const OnCallIcon = icon(lucide.PhoneCall);
export const CalendarIcon = icon(lucide.CalendarDays);
export const SwapIcon = icon(lucide.ArrowLeftRight);
export const SettingsIcon = icon(lucide.Settings);
export const GoalIcon = icon(lucide.Target);
export const PhoneIcon = icon(lucide.Smartphone);

/** Icons of the most common kinds. The others load after the first screen. */
const icons: Partial<Record<CheckType, typeof GlobeIcon>> = {
  http: GlobeIcon,
  tcp: PlugIcon,
  dns: SignpostIcon,
  tls: CertificateIcon,
};
const OtherIcon = lazy(() => import("./icons/kind-icon.tsx"));

type KindIconProps = { type: CheckType; className?: string };

/** Icon of a kind of check, or a generic one. Decorative: the target next to it shows the kind. */
export function KindIcon({ type, className = "size-4" }: KindIconProps) {
  const Icon = icons[type];
  if (Icon !== undefined) return <Icon className={className} />;
  return (
    <Suspense fallback={<PulseIcon className={className} />}>
      <OtherIcon type={type} className={className} />
    </Suspense>
  );
}
