// theme.js - the colours that were chosen, before anything is drawn.

(() => {
    const root = document.documentElement;
    root.classList.add('js');
    try {
        const chosen = localStorage.getItem('s3svm-theme');
        if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
    } catch { // a browser that keeps nothing
        delete root.dataset.theme;
    }
})();
