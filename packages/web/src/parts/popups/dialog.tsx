import { ArrivingWindow } from './arriving.tsx';
import { lazy } from 'react';
import type { DialogPopupProps } from './dialog-popup.tsx';

type DialogProps = DialogPopupProps;

const Popup = lazy(() => import('./dialog-popup.tsx').then((module) => ({ default: module.DialogPopup })));

/** A window over the page, loaded when the first one is opened. */
export function Dialog(props: DialogProps) {
  return (
    <ArrivingWindow onClose={props.onClose}>
      <Popup {...props} />
    </ArrivingWindow>
  );
}
