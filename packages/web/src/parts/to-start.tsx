import { Button } from './button.tsx';
import { useLocation } from 'wouter';

/** The way out of a place where nothing can be shown. */
export function ToStart() {
  const [, navigate] = useLocation();
  return <Button onClick={() => navigate('/')}>To the start</Button>;
}
