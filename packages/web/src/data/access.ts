const tokenKey = 'throughline.token';

/** Where the server is: wherever this page came from, also below a path of a proxy. */
export function serverUrl(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '');
}

/** The token that the user gave this browser tab, or chose to keep in this browser. */
export function storedToken(): string | undefined {
  return sessionStorage.getItem(tokenKey) ?? localStorage.getItem(tokenKey) ?? undefined;
}

export function keepToken(token: string, forLong: boolean): void {
  sessionStorage.setItem(tokenKey, token);
  if (forLong) localStorage.setItem(tokenKey, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(tokenKey);
  localStorage.removeItem(tokenKey);
}
