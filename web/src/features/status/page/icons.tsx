import { icon } from "../../../ui/icons.tsx";

// Not beside the other icons: those travel with the first page.
export const GripIcon = icon(<path d="M6 4h.1M10 4h.1M6 8h.1M10 8h.1M6 12h.1M10 12h.1" />);
export const DesktopIcon = icon(<path d="M2 3.2h12v7.6H2zM8 10.8v2.4M5.4 13.2h5.2" />);
export const PhoneIcon = icon(<path d="M5 1.8h6v12.4H5zM7.4 12h1.2" />);
